/** Requests to the operator about a collection's content: hosts of videos and animations, and display types. */

import { Hono } from "hono";
import { clip } from "../../../domain/printable.ts";
import { type CollectionRef, collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import { displayTypeSubject, hostSubject } from "../../access/module.ts";
import { ApiError } from "../../http/errors.ts";
import { hostPatternProblem, parseHostPattern } from "../../media/module.ts";
import { words } from "../../ui/visitor.ts";
import { appOf, type ConsoleContext, type ConsoleEnv, formOf, goTo, type Site, signedIn } from "../env.ts";
import { traitTypeIn } from "../request-subject.ts";
import { pathOf } from "./app-frame.tsx";
import { collectionsOf, refOf } from "./content-request-parts.tsx";
import { showPermissions } from "./permissions-page.tsx";

// A row of a database index has at most 2,704 bytes.
const SUBJECT_BYTES_MAX = 2_500;

type Kind = "host" | "display_type";

const refused = (path: string, message: string) => new ApiError("INVALID_REQUEST", [{ path, message }]);

export function contentRequestPages(site: Site): Hono<ConsoleEnv> {
  const at = "/apps/:app/permissions/ask";

  /** The form's collection; throws INVALID_REQUEST if the app may not write its information. */
  function collectionOf(app: AppRow, name = ""): CollectionRef {
    const found = collectionsOf(site, app).find((each) => collectionKey(each) === name);
    if (found) return refOf(found);
    throw refused("collection", "is not one of this app’s collections; prove it first");
  }

  async function ask(c: ConsoleContext, app: AppRow, kind: Kind, subject: string): Promise<Response> {
    const bytes = Buffer.byteLength(subject);
    if (bytes > SUBJECT_BYTES_MAX)
      throw refused("subject", `has ${bytes} bytes; the limit is ${SUBJECT_BYTES_MAX}: ask the operator`);
    const outcome = await site.apps.ask(app.id, { kind, subject }, signedIn(c).actor);
    return goTo(site, c, pathOf(app, "/permissions"), outcome);
  }

  return new Hono<ConsoleEnv>()
    .post(`${at}/host`, async (c) => {
      const app = await appOf(site, c);
      const form = await formOf(c);
      const text = (form.pattern ?? "").trim();
      const collection = collectionKey(collectionOf(app, form.collection));
      const pattern = parseHostPattern(text);
      if (!pattern) {
        const error = words().operator.hosts.invalid(clip(text), hostPatternProblem(text));
        return showPermissions(site, c, app, { pattern: text, collection, error });
      }
      const list = await site.allowlist.list();
      const isAllowed = list.some(
        (each) => each.pattern === pattern && (each.collection ?? collection) === collection,
      );
      if (isAllowed) return goTo(site, c, pathOf(app, "/permissions"), "host_allowed_already");
      return ask(c, app, "host", hostSubject({ pattern, collection }));
    })
    .post(`${at}/display-type`, async (c) => {
      const app = await appOf(site, c);
      const form = await formOf(c);
      const collection = collectionOf(app, form.collection);
      const traitType = traitTypeIn(form);
      const { display_type: displayType = "" } = form;
      if (!(await site.traitApproval.isPending(collection, traitType, displayType)))
        throw refused("display_type", "is not one that a hidden entry of this trait type has");
      const subject = displayTypeSubject({ collection: collectionKey(collection), traitType, displayType });
      return ask(c, app, "display_type", subject);
    });
}
