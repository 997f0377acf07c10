/** The Permissions tab: which APIs an app may use, and which collections' information it may write. */

import { Hono } from "hono";
import { z } from "zod";
import { parseCollectionKey } from "../../../domain/token-ref.ts";
import { shown } from "../../../invalid-value.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import { ALL_COLLECTIONS, evidenceOf, whyUnproven } from "../../access/module.ts";
import { apiNames } from "../../http/api-names.ts";
import { ApiError } from "../../http/errors.ts";
import { requireJson } from "../../http/router.ts";
import {
  appOf,
  type ConsoleContext,
  type ConsoleEnv,
  formOf,
  goTo,
  operatorOnly,
  type Site,
  signedIn,
} from "../env.ts";
import { isServed } from "../request-subject.ts";
import { jsonOf, messageBody, proofBody } from "../sign-in.tsx";
import { pathOf } from "./app-frame.tsx";
import { showPermissions } from "./permissions-page.tsx";

const proveBody = proofBody.extend({ collection: z.string() });
const askBody = messageBody.extend({ collection: z.string() });

export function permissionPages(site: Site): Hono<ConsoleEnv> {
  const { apps, proof, sessions } = site;
  const at = "/apps/:app/permissions";

  function known(kind: "api" | "collection", subject = ""): string {
    const isKnown = kind === "api" ? apiNames.some((api) => api === subject) : isServed(site, subject);
    if (isKnown) return subject;
    throw new ApiError("INVALID_REQUEST", [{ path: "subject", message: `is no ${kind} of this service` }]);
  }

  const statementOf = (app: AppRow, collection: string): string =>
    `Let the app ${app.id} write the information of the collection ${collection}.`;
  const purposeOf = (app: AppRow, collection: string): string => `prove ${app.id} ${collection}`;

  const ask = (kind: "api" | "collection") => async (c: ConsoleContext) => {
    const app = await appOf(site, c);
    const subject = known(kind, (await formOf(c)).subject);
    const outcome = await apps.ask(app.id, { kind, subject }, signedIn(c).actor);
    const done = outcome === "granted" ? "granted_at_once" : outcome;
    return goTo(site, c, pathOf(app, "/permissions"), done);
  };
  const withdraw = (kind: "api" | "collection") => async (c: ConsoleContext) => {
    const { actor } = operatorOnly(c);
    const app = await appOf(site, c);
    const { subject = "" } = await formOf(c);
    const granted = kind === "api" ? app.apis : (app.collections ?? [ALL_COLLECTIONS]);
    if (!granted.includes(subject)) {
      const message = `${shown(subject)} is not a permission of this app`;
      throw new ApiError("INVALID_REQUEST", [{ path: "subject", message }]);
    }
    await apps.withdraw(app.id, { kind, subject }, actor);
    return goTo(site, c, pathOf(app, "/permissions"), "withdrawn");
  };

  return new Hono<ConsoleEnv>()
    .get(at, async (c) => showPermissions(site, c, await appOf(site, c)))
    .post(`${at}/ask/api`, ask("api"))
    .post(`${at}/ask/collection`, ask("collection"))
    .post(`${at}/withdraw/api`, withdraw("api"))
    .post(`${at}/withdraw/collection`, withdraw("collection"))
    .post(`${at}/prove/message`, requireJson, async (c) => {
      const app = await appOf(site, c);
      const { address, chainId, collection } = await jsonOf(c, askBody);
      const statement = statementOf(app, known("collection", collection));
      const message = await sessions.issueMessage(purposeOf(app, collection), (nonce) =>
        proof.message({ address, chainId, nonce, statement }),
      );
      return c.json({ message });
    })
    .post(`${at}/prove`, requireJson, async (c) => {
      const app = await appOf(site, c);
      const { collection, ...signed } = await jsonOf(c, proveBody);
      const at = parseCollectionKey(known("collection", collection));
      const how = await site.rateLimits.failures.attempt(c, async (beforeCost) => {
        const refused = (message: string): ApiError =>
          new ApiError("NOT_ALLOWED", [{ path: "signature", message }]);
        const verdict = await proof.verify(signed, statementOf(app, collection), at.chainId, beforeCost);
        if (verdict.kind === "refused") throw refused(verdict.reason);
        const { address } = verdict;
        // First, so that a message is still good once a node that is away is back.
        const authority = await proof.authorityOver(at, address);
        if (authority.kind === "none") throw refused(whyUnproven(authority, address));
        if (!(await sessions.spendMessage(signed.message, verdict.nonce, purposeOf(app, collection))))
          throw refused("the message was used before, has expired, or is not the one that was issued");
        return evidenceOf(authority, address);
      });
      await apps.grant(app.id, { kind: "collection", subject: collection }, signedIn(c).actor, how);
      return c.json({ proved: true });
    });
}
