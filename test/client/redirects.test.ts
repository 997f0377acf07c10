/** A base URL in front of the service's own, such as http:// where a proxy wants https://. */

import { afterEach, describe, expect, it } from "vitest";
import { createVitrine, type Vitrine, VitrineError } from "../../clients/typescript/src/index.ts";
import { json, type ScriptedService, type Step, startScriptedService } from "./scripted-service.ts";

const HEROES = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
const services: ScriptedService[] = [];
afterEach(() => {
  for (const each of services.splice(0)) each.close();
});

/** The client's service answers each request with a redirect to where `locate` says, at another origin. */
async function redirected(status: number, locate = (origin: string, path: string) => `${origin}${path}`) {
  const elsewhere = await startScriptedService(json(200, { items: [], next_cursor: null }));
  const redirect: Step = ({ url = "" }, response) =>
    response.writeHead(status, { location: locate(elsewhere.baseUrl, url) }).end("moved");
  const service = await startScriptedService(redirect);
  services.push(elsewhere, service);
  return { elsewhere, service, client: service.client() };
}

async function failure(call: Promise<unknown> | AsyncIterable<unknown>): Promise<VitrineError> {
  try {
    if (Symbol.asyncIterator in call) for await (const _ of call) break;
    else await call;
  } catch (error) {
    expect(error).toBeInstanceOf(VitrineError);
    return error as VitrineError;
  }
  throw new Error("it succeeded");
}

const calls: readonly [string, (client: Vitrine) => Promise<unknown> | AsyncIterable<unknown>][] = [
  ["a read", (client) => client.token(HEROES, 7n)],
  ["a list", (client) => client.tokens(HEROES)],
  ["a POST", (client) => client.webhooks.create({ url: "https://a.example/hook" })],
  ["a refresh", (client) => client.refreshAndWait(HEROES, [7n])],
  ["the event stream", (client) => client.events()],
  ["an export", (client) => client.exportTokens(HEROES)],
];

describe("a redirect", () => {
  it.each(calls)("is not followed by %s: the error names the base URL to set", async (_what, call) => {
    const { elsewhere, service, client } = await redirected(301);

    const error = await failure(call(client));

    expect(error).toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 301,
      message: `HTTP 301: ${service.baseUrl} redirects; set baseUrl to ${elsewhere.baseUrl}`,
    });
    expect(service.requests).toHaveLength(1);
    // Nor does another host get the key.
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])("with status %d isn't followed", async (status) => {
    const { elsewhere, client } = await redirected(status);

    expect(await failure(client.token(HEROES, 7n))).toMatchObject({ code: "UNEXPECTED_RESPONSE", status });
    expect(elsewhere.requests).toEqual([]);
  });

  it("below another path names that path too", async () => {
    const { elsewhere, service } = await redirected(308, (origin, path) =>
      path.replace("/old/", `${origin}/new/`),
    );
    const client = createVitrine({ baseUrl: `${service.baseUrl}/old/` });

    expect((await failure(client.token(HEROES, 7n, { chainId: 5 }))).message).toBe(
      `HTTP 308: ${service.baseUrl}/old redirects; set baseUrl to ${elsewhere.baseUrl}/new`,
    );
  });

  it.each([
    ["another path", "https://sign-in.example/?to=vitrine", "https://sign-in.example/?to=vitrine"],
    ["a relative one", "/sign-in", "{base}/sign-in"],
    [
      "a page to sign in that knows the way back",
      `https://sign-in.example/?to=/market/collections/${HEROES}/tokens/7`,
      `https://sign-in.example/?to=/market/collections/${HEROES}/tokens/7`,
    ],
    ["itself", `/market/collections/${HEROES}/tokens/7`, `{base}/market/collections/${HEROES}/tokens/7`],
  ])("to %s names it", async (_what, location, named) => {
    const { service, client } = await redirected(302, () => location);

    expect((await failure(client.token(HEROES, 7n))).message).toBe(
      `HTTP 302: ${service.baseUrl} redirects to ${named.replace("{base}", service.baseUrl)}; set baseUrl to the service's own address`,
    );
  });

  it("whose address can't be read, or that a browser hides, says what to set", async () => {
    const { service, client } = await redirected(302, () => "http://");
    expect((await failure(client.token(HEROES, 7n))).message).toBe(
      `HTTP 302: ${service.baseUrl} redirects; set baseUrl to the service's own address`,
    );

    const hidden = Object.defineProperties(Response.error(), { type: { value: "opaqueredirect" } });
    const asked: (RequestInit | undefined)[] = [];
    const inBrowser = createVitrine({
      baseUrl: "http://vitrine.example",
      fetch: async (_url, init) => {
        asked.push(init);
        return hidden;
      },
    });
    expect(await failure(inBrowser.token(HEROES, 7n))).toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      status: 0,
      message: "http://vitrine.example redirects; set baseUrl to the service's own address",
    });
    expect(asked).toEqual([expect.objectContaining({ redirect: "manual" })]);
  });
});
