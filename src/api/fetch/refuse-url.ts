/** URLs that are never fetched, whatever their host. */

import { parseUrl, problemOfHost } from "../text/parse-url.ts";
import { type FailedFetch, failed } from "./fetch-failure.ts";

// The ports that browsers never use for HTTP, such as 25 (Fetch standard, "port blocking").
const BAD_PORTS = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
   137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
   1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
);

/** Why the URL is never fetched; undefined if nothing is wrong with it. */
export function refuseUrl(url: string): FailedFetch | undefined {
  const parsed = parseUrl(url);
  if (!parsed) return failed("invalid_url", "the URL can't be parsed", false);
  const { protocol, username, password, port } = parsed;
  if (protocol !== "http:" && protocol !== "https:")
    return failed("invalid_url", `${protocol} is not http(s)`, false);
  if (username || password) return failed("invalid_url", "the URL carries credentials", false);
  if (BAD_PORTS.has(port)) return failed("invalid_url", "the URL's port is blocked", false);
  const problem = problemOfHost(parsed);
  return problem === undefined ? undefined : failed("invalid_url", `the URL's host ${problem}`, false);
}
