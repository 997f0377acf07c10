/** `POST /preferences`: keeps a visitor's choices in cookies, for pages to be drawn with them. */

import { setCookie } from "hono/cookie";
import { clip } from "../../domain/printable.ts";
import { ApiError } from "../http/errors.ts";
import { parseForm } from "../http/form.ts";
import { parseUrl } from "../text/parse-url.ts";
import { choices, cookieOf } from "../ui/visitor.ts";
import type { PagesContext, Site } from "./env.ts";

const YEAR_SECONDS = 31_536_000;

/** Back to the page with the form. Throws INVALID_REQUEST for a choice that there is not. */
export async function keepPreferences({ baseUrl, to }: Site, c: PagesContext): Promise<Response> {
  const sent = await parseForm(c);
  for (const name of ["theme", "density"] as const) {
    const value = sent[name];
    if (value === undefined) continue;
    const known: readonly string[] = choices[name];
    if (typeof value !== "string" || !known.includes(value)) {
      const message = `must be one of ${known.join(", ")}; it is "${clip(String(value))}"`;
      throw new ApiError("INVALID_REQUEST", [{ path: name, message }]);
    }
    setCookie(c, cookieOf(name), value, {
      path: to("/"),
      maxAge: YEAR_SECONDS,
      sameSite: "Lax",
      secure: baseUrl.startsWith("https:"),
    });
  }
  const hosts = [c.req.header("host"), new URL(baseUrl).host];
  return c.redirect(backTo(c.req.header("referer"), hosts) ?? to("/"), 303);
}

/**
 * The path of the page that sent the form, which is one of ours: it is named by the host that was asked, or by BASE_URL's,
 * since a proxy may ask with a name of its own.
 */
function backTo(referrer: string | undefined, hosts: readonly (string | undefined)[]): string | undefined {
  const url = referrer === undefined ? undefined : parseUrl(referrer);
  // A path with two slashes would be another host.
  if (url === undefined || !hosts.includes(url.host) || url.pathname.startsWith("//")) return undefined;
  return `${url.pathname}${url.search}`;
}
