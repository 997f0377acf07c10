/** A headless console client: keeps its cookie, sends its origin, reads pages as text. */

import type { PrivateKeyAccount } from "viem/accounts";
import { BASE_URL, type createTestApp, type Sent } from "../../support/processes/app.ts";

type TestApp = ReturnType<typeof createTestApp>;

export interface Page {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly location: string | null;
}

/** `language` is what the browser prefers. */
export function createVisitor(api: TestApp, from = "198.51.100.1", origin = BASE_URL, language?: string) {
  let cookie = "";

  async function send(path: string, sent: Sent): Promise<Page> {
    const headers = {
      accept: "text/html",
      origin,
      ...(language && { "accept-language": language }),
      ...(cookie && { cookie }),
      ...sent.headers,
    };
    const answer = await api.call(path, { ...sent, from, headers });
    const set = answer.headers.get("set-cookie");
    if (set) cookie = set.split(";")[0] ?? "";
    return { ...answer, location: answer.headers.get("location") };
  }

  return {
    get cookie() {
      return cookie;
    },
    set cookie(text: string) {
      cookie = text;
    },
    get: (path: string): Promise<Page> => send(path, {}),
    post: (
      path: string,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Page> =>
      send(path, {
        method: "POST",
        body: new URLSearchParams(fields).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      }),
    json: (path: string, body: unknown): Promise<Page> =>
      send(path, { body, headers: { accept: "application/json" } }),

    /** Signs in as the console's script does. */
    async signIn(wallet: PrivateKeyAccount): Promise<Page> {
      const asked = await this.json("/console/sign-in/message", { address: wallet.address, chainId: 1 });
      const { message } = JSON.parse(asked.text) as { message: string };
      return this.json("/console/sign-in", { message, signature: await wallet.signMessage({ message }) });
    },

    /** Signs in by an operator's link. */
    async signInAsOperator(): Promise<Page> {
      const { token } = await api.sessions.makeLink("tests");
      return this.post(`/console/login/${token}`);
    },

    /** Creates an app and returns its path. */
    async createApp(name: string): Promise<string> {
      const { location } = await this.post("/console/apps", { name });
      return location?.split("?")[0] ?? "";
    },
  };
}

export type Visitor = ReturnType<typeof createVisitor>;
