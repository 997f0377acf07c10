/** Sign-in with a wallet's signature, or with the operator's one-time link. */

import { Hono } from "hono";
import { z } from "zod";
import { parseAddress } from "../../domain/token-ref.ts";
import { sized } from "../../invalid-value.ts";
import { ApiError, detailsOf } from "../http/errors.ts";
import { requireJson } from "../http/router.ts";
import { Button, Card, Notice, Title } from "../ui/parts.tsx";
import { words } from "../ui/visitor.ts";
import { askDemoWallet, walletCall } from "./demo-wallet.ts";
import { type ConsoleContext, type ConsoleEnv, goTo, type Site, signedIn } from "./env.ts";
import { render } from "./frame.tsx";
import type { Cookies } from "./guard.ts";

const PURPOSE = "sign-in";
// Wallets show it. ERC-4361 allows ASCII only, so it is the same in every language.
const STATEMENT = "Sign in to the Vitrine console.";
/** Where the console starts. */
export const HOME = "/console";
const PAGE = /^(\/console(?:\/[\w-]+)*)(?:\?[\w%&=+.:*~-]*)?$/;
const LINK_COMMAND = "npx vitrine login-link";
const LINK = /^vl_[0-9a-f]{64}$/;

/** The page to show after the sign-in, with its query: one of the console, whatever a link says. */
export function nextPage(page = ""): string {
  const [, path] = PAGE.exec(page) ?? [];
  return path === undefined || path === "/console/sign-in" ? HOME : page;
}

export const messageBody = z.object({
  address: z.string().refine((text) => parseAddress(text) !== undefined, { error: "must be an address" }),
  chainId: z.int().positive(),
});
export const proofBody = z.object({
  message: z.string().max(4_096, sized),
  signature: z.string().max(20_000, sized),
});

/** The JSON body sent by our own scripts; throws INVALID_REQUEST with the problem. */
export async function jsonOf<Schema extends z.ZodType>(
  c: ConsoleContext,
  schema: Schema,
): Promise<z.output<Schema>> {
  const body: unknown = await c.req.json().catch(() => {
    throw new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not valid JSON" }]);
  });
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new ApiError("INVALID_REQUEST", detailsOf(parsed.error));
  return parsed.data;
}

export function signInPages(site: Site, cookies: Cookies): Hono<ConsoleEnv> {
  const { sessions, proof } = site;
  const { failures } = site.rateLimits;
  const refused = (message: string): ApiError => new ApiError("KEY_INVALID", [{ path: "", message }]);

  return (
    new Hono<ConsoleEnv>()
      .get("/sign-in", (c) => {
        const texts = words().consoleFrame.signIn;
        return c.get("session")
          ? goTo(site, c, nextPage(c.req.query("next")))
          : render(
              site,
              c,
              { title: texts.title, scripts: [...site.walletScripts, "sign-in.js"], width: "narrow" },
              <>
                <Title hint={texts.hint}>{texts.heading}</Title>
                <Card title={texts.wallet} hint={texts.walletHint}>
                  <div
                    id="wallets"
                    class="stack"
                    data-message={site.to("/console/sign-in/message")}
                    data-prove={site.to("/console/sign-in")}
                    data-next={site.to(nextPage(c.req.query("next")))}
                  >
                    <noscript>
                      <Notice tone="warn">{texts.noScript}</Notice>
                    </noscript>
                    <p class="soft" id="wallet-state" role="status">
                      {texts.looking}
                    </p>
                  </div>
                </Card>
                <NoWallet />
                <p class="soft small">
                  {texts.link} <code>{LINK_COMMAND}</code>
                </p>
              </>,
            );
      })
      .post("/demo-wallet", requireJson, async (c) => {
        if (!site.demoWallet) throw new ApiError("NOT_FOUND");
        return c.json({ result: await askDemoWallet(site.demoWallet, await jsonOf(c, walletCall)) });
      })
      .post("/sign-in/message", requireJson, async (c) => {
        const { address, chainId } = await jsonOf(c, messageBody);
        const message = await sessions.issueMessage(PURPOSE, (nonce) =>
          proof.message({ address, chainId, nonce, statement: STATEMENT }),
        );
        return c.json({ message });
      })
      .post("/sign-in", requireJson, async (c) => {
        const signed = await jsonOf(c, proofBody);
        const address = await failures.attempt(c, async (beforeCost) => {
          const verdict = await proof.verify(signed, STATEMENT, site.signInChainId, beforeCost);
          if (verdict.kind === "refused") throw refused(verdict.reason);
          if (!(await sessions.spendMessage(signed.message, verdict.nonce, PURPOSE))) {
            const message = "the message was used before, has expired, or is not the one that was issued";
            throw refused(message);
          }
          return verdict.address;
        });
        await cookies.write(c, await sessions.startForWallet(address));
        return c.json({ signed_in: true });
      })
      // A page first: programs that preview links would use it up.
      .get("/login/:link", (c) => {
        const texts = words().consoleFrame.signIn;
        return render(
          site,
          c,
          { title: texts.linkTitle, width: "narrow" },
          <>
            <Title>{texts.linkTitle}</Title>
            <Card>
              <p>{texts.linkText}</p>
              <form method="post">
                <Button kind="primary">{texts.button}</Button>
              </form>
            </Card>
          </>,
        );
      })
      .post("/login/:link", async (c) => {
        const link = c.req.param("link");
        const token = await failures.attempt(c, async () => {
          const started = LINK.test(link) ? await sessions.startByLink(link) : undefined;
          if (started) return started;
          const message = "the link was used before or has expired after ten minutes; create another";
          throw refused(message);
        });
        await cookies.write(c, token);
        return goTo(site, c, "/console/operator");
      })
      .post("/sign-out", async (c) => {
        const token = await cookies.read(c);
        if (token) await sessions.end(token);
        await cookies.clear(c);
        return goTo(site, c, "/console/sign-in");
      })
      .post("/sign-out/everywhere", async (c) => {
        await sessions.endAll(signedIn(c));
        await cookies.clear(c);
        return goTo(site, c, "/console/sign-in", "sessions_ended");
      })
  );
}

const wallets = [
  { name: "Ronin Wallet", url: "https://wallet.roninchain.com" },
  { name: "MetaMask", url: "https://metamask.io/download" },
  { name: "Rabby", url: "https://rabby.io" },
] as const;

/** What to install; the script shows it when the browser has no wallet. */
const NoWallet = () => {
  const texts = words().consoleFrame.signIn;
  return (
    <div id="no-wallet" hidden>
      <Card title={texts.noWallet} hint={texts.noWalletHint}>
        <ol class="checklist">
          <li>
            {texts.install}
            <ul>
              {wallets.map(({ name, url }) => (
                <li>
                  <a href={url} rel="noreferrer">
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </li>
          <li>{texts.account}</li>
          <li>{texts.reload}</li>
        </ol>
      </Card>
    </div>
  );
};
