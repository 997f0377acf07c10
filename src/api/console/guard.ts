/** Cookies and sessions: who sent a request to the console. */

import { getSignedCookie, setSignedCookie } from "hono/cookie";
import { createMiddleware } from "hono/factory";
import { deriveKey } from "../access/rules.ts";
import type { ConsoleContext, ConsoleEnv, Site } from "./env.ts";

const COOKIE = "vitrine_session";

/** `__Host-` binds a cookie to this host and https; browsers refuse it on plain http, which only local services use. */
export function createCookies({ baseUrl, secrets, sessions }: Site) {
  const isSecure = baseUrl.startsWith("https:");
  const key = (secret: string): string => deriveKey(secret, "session-cookie").toString("hex");
  const current = key(secrets.current);
  const keys = secrets.previous === undefined ? [current] : [current, key(secrets.previous)];
  const options = {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure,
    ...(isSecure && { prefix: "host" as const }),
  } as const;
  return {
    /** The session token; undefined if the cookie is missing or was not signed here. */
    async read(c: ConsoleContext): Promise<string | undefined> {
      for (const each of keys) {
        const token = isSecure
          ? await getSignedCookie(c, each, COOKIE, "host")
          : await getSignedCookie(c, each, COOKIE);
        if (token) return token;
      }
      return undefined;
    },
    write: (c: ConsoleContext, token: string): Promise<void> =>
      setSignedCookie(c, COOKIE, token, current, { ...options, maxAge: sessions.seconds }),
    clear: (c: ConsoleContext): Promise<void> =>
      setSignedCookie(c, COOKIE, "", current, { ...options, maxAge: 0 }),
  };
}

export type Cookies = ReturnType<typeof createCookies>;

/** Loads the cookie's session, and what its navigation shows. Fails closed: throws when the database can't answer. */
export const loadSession = ({ sessions, apps }: Site, cookies: Cookies) =>
  createMiddleware<ConsoleEnv>(async (c, next) => {
    const token = await cookies.read(c);
    const session = token ? await sessions.find(token) : undefined;
    c.set("session", session);
    if (session?.isOperator) c.set("openRequests", await apps.countOpenRequests());
    // Pages behind a sign-in must not be cached.
    c.header("Cache-Control", "no-store");
    await next();
  });
