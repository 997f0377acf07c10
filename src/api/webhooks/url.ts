/** Which URLs may be registered. What a name resolves to is checked at each delivery; `localhost` needs no resolver. */

import { clip } from "../../domain/printable.ts";
import { hostAndPort } from "../fetch/guarded-connector.ts";
import { refuseUrl } from "../fetch/refuse-url.ts";
import { forbiddenHost } from "../fetch/safe-address.ts";
import { parseUrl } from "../text/parse-url.ts";
import { URL_CHARACTERS_MAX } from "./schemas.ts";

/**
 * What is wrong with a URL, as the end of a sentence that begins with its field; undefined if nothing is. `allowedHosts`
 * are the `host:port` entries of ALLOW_PRIVATE_HOSTS, which may be private and without TLS.
 */
export function problemOfUrl(text: string, allowedHosts: ReadonlySet<string>): string | undefined {
  if (text.length > URL_CHARACTERS_MAX)
    return `has ${text.length} characters; the limit is ${URL_CHARACTERS_MAX}`;
  const url = parseUrl(text);
  if (!url) return `must be an https URL; "${clip(text)}" can't be parsed`;
  const isAllowed = /^https?:$/.test(url.protocol) && allowedHosts.has(hostAndPort(text));
  if (url.protocol !== "https:" && !isAllowed) return `must be an https URL; it is "${clip(text)}"`;
  const refusal = refuseUrl(text);
  if (refusal) return `can't be used: ${refusal.message}`;
  if (isAllowed) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const bad = forbiddenHost(host);
  return bad && `must be public; ${host} is ${bad}`;
}
