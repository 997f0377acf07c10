/** The entries of the allowlist as text: `host`, `host:port` or `*.host`. */

import { HOST_CHARACTERS_MAX, parseUrl } from "../../text/parse-url.ts";

// The names of some buckets have underscores, which URLs allow.
const PATTERN = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*(:[0-9]{1,5})?$/;

/** For whoever reads or adds an entry. */
export const PORT_RULE = "Without a port, a host means the default ports: 80 for http and 443 for https.";

/** Lower-case `host`, `host:port` or `*.host`; undefined for anything else. */
export function parseHostPattern(entry: string): string | undefined {
  if (entry.length > HOST_CHARACTERS_MAX) return undefined;
  // Browsers leave out the port that the scheme implies, so an entry with it would cover nothing.
  const pattern = entry.toLowerCase().replace(/:(?:80|443)$/, "");
  return PATTERN.test(pattern) && isUrlHost(pattern.replace("*.", "")) ? pattern : undefined;
}

/** What is wrong with an entry that `parseHostPattern` refuses, to follow its name. */
export const hostPatternProblem = (entry: string): string =>
  entry.length > HOST_CHARACTERS_MAX
    ? `has ${entry.length} characters; the limit is ${HOST_CHARACTERS_MAX}`
    : "is not host, host:port or *.host";

/** URLs are matched by their normal form: an entry that none has, such as `127.1` or port 65536, would cover nothing. */
function isUrlHost(host: string): boolean {
  return ["http", "https"].some((scheme) => parseUrl(`${scheme}://${host}`)?.host === host);
}

/** `*.example.com` covers its subdomains and not example.com itself. */
export function hostMatches(pattern: string, host: string): boolean {
  return pattern.startsWith("*.")
    ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
    : host === pattern;
}
