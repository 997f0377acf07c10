/** Forms that create something create it once, however often they are sent: by a second click, a reload, a lost answer. */

import { hash, randomUUID } from "node:crypto";

/** The field of such a form: a token, new each time the form is shown. */
export const FORM_TOKEN = "form_token";

export const newFormToken = (): string => randomUUID();

/**
 * The id of what a form creates: the same for the same token and content, so that whoever finds it knows that the form
 * was sent before. `content` names the creator too, whose tokens are nobody else's. A request without a token gets an
 * id of its own.
 */
export function idOfCreated(token: string | undefined, ...content: readonly unknown[]): string {
  if (!token) return randomUUID();
  const digits = hash("sha256", JSON.stringify([token, ...content]));
  // Version 8 of RFC 9562: a UUID by rules of its maker.
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20, 32)].join("-");
}
