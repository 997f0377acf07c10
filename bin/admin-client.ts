/** Client for the admin API of a running service. */

import { withDeadline } from "../src/api/async/timeout.ts";
import {
  isLocal,
  operatorTokenFile,
  storedOperatorToken,
  trimOperatorToken,
} from "../src/api/local-secrets.ts";
import { isPlainUrl, parseUrl } from "../src/api/text/parse-url.ts";
import { withoutTrailing } from "../src/api/text/without-trailing.ts";

export interface AdminClient {
  /**
   * The response's JSON. Throws one sentence that says what to do when the service is unreachable or silent, an AdminError
   * when it refuses, and the signal's reason.
   */
  call<Answer>(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Answer>;
  /** A successful response of any route, with its body unread. Throws as `call`. */
  open(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  /** The whole answer's time; 30,000 by default. */
  readonly timeoutMs?: number;
}

export class AdminError extends Error {
  override readonly name = "AdminError";

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

interface Refusal {
  readonly message?: string;
  readonly code?: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

const TIMEOUT_MS = 30_000;
// Of a header's value (RFC 9110, 5.5), whose bytes `fetch` takes as characters.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads BASE_URL (or PORT on this machine) and VITRINE_OPERATOR_TOKEN (or the token that a local service stores). */
export function createAdminClient(environment: Environment): AdminClient {
  const baseUrl = withoutTrailing(
    environment.BASE_URL || `http://localhost:${environment.PORT || 42069}`,
    "/",
  );
  requireBase(baseUrl);
  const dataFolder = environment.VITRINE_DATA || ".vitrine";
  const given = trimOperatorToken(environment.VITRINE_OPERATOR_TOKEN ?? "");
  const token = given || (isLocal(baseUrl) ? storedOperatorToken(dataFolder) : undefined);

  const send = async (path: string, init: RequestInit): Promise<Response> => {
    // Followed, a POST would become a GET, and another host would get the token, or the service none.
    const response = await fetch(`${baseUrl}${path}`, { ...init, redirect: "manual" }).catch(
      (cause: Error) => {
        init.signal?.throwIfAborted();
        throw new Error(`nothing answers at ${baseUrl}; start the service or set BASE_URL.`, { cause });
      },
    );
    if (response.status >= 300 && response.status < 400) throw redirectOf(response, baseUrl, path);
    return response;
  };
  const read = <Answer>(response: Response, signal?: AbortSignal): Promise<Answer> =>
    response.json().catch((cause: Error) => {
      signal?.throwIfAborted();
      throw new Error(`what answers at ${baseUrl} is not Vitrine; set BASE_URL to the service.`, { cause });
    }) as Promise<Answer>;
  const refusalOf = async (path: string, response: Response, signal?: AbortSignal): Promise<AdminError> => {
    const answer = await read<Refusal>(response, signal);
    const details = (answer.details ?? []).map(({ path, message }) =>
      path ? `${path}: ${message}` : message,
    );
    // Without a token, the service hides that it has an admin API, whose routes say what is not found.
    if (path.startsWith("/admin/") && answer.code === "NOT_FOUND" && !answer.details)
      return new AdminError(
        response.status,
        `the service at ${baseUrl} has no operator token; set VITRINE_OPERATOR_TOKEN in its environment, restart it, and give this command the same.`,
      );
    return new AdminError(
      response.status,
      [answer.message ?? `HTTP ${response.status}`, ...details].join("; "),
    );
  };

  return {
    async call<Answer>(
      method: string,
      path: string,
      body?: unknown,
      { signal: outer, timeoutMs = TIMEOUT_MS }: CallOptions = {},
    ): Promise<Answer> {
      if (!token)
        throw new Error(
          "VITRINE_OPERATOR_TOKEN is not set; set it to the token that the service was started with.",
        );
      if (UNSENDABLE.test(token))
        throw new Error("VITRINE_OPERATOR_TOKEN has a character that no HTTP header can carry.");
      const attempt = async (signal: AbortSignal): Promise<Answer> => {
        const response = await send(path, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          signal,
        });
        if (response.ok) return read<Answer>(response, signal);
        if (response.status !== 401) throw await refusalOf(path, response, signal);
        await read(response, signal);
        throw new AdminError(
          401,
          given
            ? "the service refused VITRINE_OPERATOR_TOKEN; use the one it was started with."
            : `the service refused the token in ${operatorTokenFile(dataFolder)}; set VITRINE_OPERATOR_TOKEN to the one it was started with.`,
        );
      };
      const doubt = method === "GET" ? "" : "; it may do what it was asked to";
      const silent = () => new Error(`${baseUrl} gave no answer within ${timeoutMs / 1_000} s${doubt}.`);
      return withDeadline(timeoutMs, outer, attempt, silent);
    },
    async open(path, headers, signal) {
      const response = await send(path, { headers, ...(signal && { signal }) });
      if (!response.ok) throw await refusalOf(path, response, signal);
      return response;
    },
  };
}

function requireBase(baseUrl: string): void {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new Error(`BASE_URL must be an http(s) URL; it is "${baseUrl}".`);
  // It may hold a password.
  if (!isPlainUrl(baseUrl))
    throw new Error("BASE_URL must not contain a user, password, query or fragment: paths are added to it.");
}

function redirectOf({ headers, body }: Response, baseUrl: string, path: string): Error {
  body?.cancel().catch(() => undefined);
  const location = headers.get("location");
  const to = location === null ? undefined : parseUrl(location, `${baseUrl}${path}`)?.href;
  // A page to sign in may have the path in its query.
  const isBase = to?.endsWith(path) && !/[?#]/.test(to.slice(0, -path.length)) && to !== `${baseUrl}${path}`;
  const known = isBase ? to?.slice(0, -path.length) : undefined;
  const where = to === undefined || known ? "" : ` to ${to}`;
  return new Error(`${baseUrl} redirects${where}; set BASE_URL to ${known ?? "the service's own address"}.`);
}
