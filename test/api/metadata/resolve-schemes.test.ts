/** Token URIs of the schemes that the operator allows, from contract to document, and the state a process shares. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadFetchConfig } from "../../../src/api/config.ts";
import { createFetching } from "../../../src/api/fetch/fetching.ts";
import { examineUri } from "../../../src/api/metadata/document/examine.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";
import { BLOCK, TOKEN } from "./resolve-harness.ts";

const SOUND = '{"name":"Hero {id}","image":"https://img.example/1.png","properties":{"{id}":"{id}"}}';
const HEX_ID = "000000000000000000000000000000000000000000000000000000000004cce0";
const TX = "-G92LjB-wFj-FCGx040NgniW_Ypy_Cbh3Jq1HUD6l7A";
const CID = "QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco";

const fetchingOf = (environment: Record<string, string>) => createFetching(loadFetchConfig(environment));
const resolverOf = (
  fetching: ReturnType<typeof createFetching>,
  standard: "erc721" | "erc1155" = "erc721",
) => {
  let uri = "";
  const resolve = createResolve({ ...fetching, readUri: async () => ({ kind: "read", uri, standard }) });
  return (text: string, admit?: (host: string) => Promise<boolean>, signal?: AbortSignal) => {
    uri = text;
    return resolve(TOKEN, undefined, BLOCK, { signal, admit });
  };
};

describe("data:", () => {
  const fetching = fetchingOf({ METADATA_EXTRA_SCHEMES: "data" });
  const nobody = async (host: string): Promise<boolean> => {
    throw new Error(`${host} is asked`);
  };

  it("is the document itself, and nobody is asked", async () => {
    const uri = `data:application/json,${encodeURIComponent(SOUND)}`;

    const resolution = await resolverOf(fetching)(uri, nobody);

    expect(resolution).toMatchObject({
      kind: "document",
      uri,
      host: undefined,
      document: { body: Buffer.from(SOUND), metadata: { name: "Hero {id}" }, issues: [] },
    });
  });

  it("of an ERC-1155 token has its id filled in where any document has, however it is encoded", async () => {
    const resolve = resolverOf(fetching, "erc1155");
    const spellings = [`data:,${SOUND}`, `data:,${encodeURIComponent(SOUND)}`, `data:;base64,${btoa(SOUND)}`];

    for (const uri of spellings) {
      expect(await resolve(uri), uri).toMatchObject({
        uri,
        document: {
          body: Buffer.from(SOUND),
          metadata: { name: `Hero ${HEX_ID}`, traits: [{ trait_type: "{id}", value: HEX_ID }] },
        },
      });
    }
  });

  it("that is large is not read for whoever no longer waits for it, which says nothing of the document", async () => {
    const uri = `data:,${JSON.stringify({ description: "x".repeat(256 * 1024) })}`;

    const resolution = await resolverOf(fetching)(uri, nobody, AbortSignal.abort());

    expect(resolution).toMatchObject({ kind: "failed", reason: "timeout", transient: true, host: undefined });
  });

  it("may be longer than any URL, up to 2 MiB of document; what is kept of the URI stays small", async () => {
    const sized = (bytes: number): string =>
      SOUND.replace("Hero", "x".repeat(bytes - SOUND.length + "Hero".length));
    const uriOf = (bytes: number): string => `data:;base64,${btoa(sized(bytes))}`;

    const most = await resolverOf(fetching)(uriOf(2_097_152));
    const more = await resolverOf(fetching)(uriOf(2_097_153));

    expect(most.kind).toBe("document");
    expect(most.uri).toMatch(/^data:;base64,[A-Za-z0-9+/]{187}… \(2796217 characters\)$/);
    expect(more).toMatchObject({ kind: "failed", reason: "too_large", transient: false });
    expect(more.uri?.length).toBeLessThan(300);
  });

  it.each([
    { uri: "data:application/json", reason: "invalid_uri" },
    { uri: "data:;base64,{}", reason: "invalid_uri" },
    { uri: "data:,not JSON", reason: "invalid_json" },
    { uri: "data:,%ff", reason: "invalid_json" },
    { uri: "data:,[]", reason: "not_an_object" },
    { uri: `ar://${TX}`, reason: "unsupported_scheme" },
  ])("$uri is $reason, for good", async ({ uri, reason }) => {
    expect(await resolverOf(fetching)(uri, nobody)).toMatchObject({
      kind: "failed",
      reason,
      transient: false,
      uri,
    });
  });
});

describe("ar:", () => {
  it("is asked of arweave.net, as any host with its limits, {id} filled in", async () => {
    const resolve = resolverOf(fetchingOf({ METADATA_EXTRA_SCHEMES: "ar" }), "erc1155");
    const hosts: string[] = [];

    const resolution = await resolve(`ar://${TX}/{id}.json`, async (host) => {
      hosts.push(host);
      return false;
    });

    expect(hosts).toEqual(["arweave.net"]);
    expect(resolution.uri).toBe(`ar://${TX}/${HEX_ID}.json`);
  });
});

describe("the gateways", () => {
  let dead: LocalServer;
  let sound: LocalServer;
  beforeAll(async () => {
    dead = await startLocalServer((_request, response) => response.writeHead(503).end());
    sound = await startLocalServer((_request, response) => response.end(SOUND));
  });
  afterAll(() => Promise.all([dead.close(), sound.close()]));

  it("that refreshes found to fail are asked last by whoever tries a URI in the same process, and by no other", async () => {
    const environment = { IPFS_GATEWAYS: `${dead.url},${sound.url}` };
    const fetching = fetchingOf(environment);
    const resolve = resolverOf(fetching);
    for (let time = 0; time < 3; time++) await resolve(`ipfs://${CID}`);
    expect(dead.requests.length).toBe(3);

    expect(await examineUri(fetching, `ipfs://${CID}`, undefined)).toMatchObject({ failure: null });
    expect(dead.requests.length).toBe(3);

    await examineUri(fetchingOf(environment), `ipfs://${CID}`, undefined);
    expect(dead.requests.length).toBe(4);
  });
});
