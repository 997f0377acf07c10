/** Client for the admin API of a running service. */

import { existsSync } from "node:fs";
import { isLocal, localOperatorToken } from "../src/api/local-secrets.ts";
import { withoutTrailing } from "../src/api/text/without-trailing.ts";

export interface AdminClient {
  /**
   * The response's JSON. Throws one sentence that says what to do when the service is unreachable, and an AdminError
   * when it refuses.
   */
  call<Answer>(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<Answer>;
  /** A successful response of any route, with its body unread. Throws as `call`. */
  open(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
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

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads BASE_URL (or PORT on this machine) and VITRINE_OPERATOR_TOKEN (or the token that a local service stores). */
export function createAdminClient(environment: Environment): AdminClient {
  const baseUrl = withoutTrailing(
    environment.BASE_URL || `http://localhost:${environment.PORT || 42069}`,
    "/",
  );
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new Error(`BASE_URL must be an http(s) URL; it is "${baseUrl}".`);
  const token =
    environment.VITRINE_OPERATOR_TOKEN || keptToken(baseUrl, environment.VITRINE_DATA || ".vitrine");

  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${baseUrl}${path}`, init).catch((cause: Error) => {
      init.signal?.throwIfAborted();
      throw new Error(`nothing answers at ${baseUrl}; start the service or set BASE_URL.`, { cause });
    });
  const read = <Answer>(response: Response): Promise<Answer> =>
    response.json().catch((cause: Error) => {
      throw new Error(`what answers at ${baseUrl} is not Vitrine; set BASE_URL to the service.`, { cause });
    }) as Promise<Answer>;
  const refusalOf = async (path: string, response: Response): Promise<AdminError> => {
    const answer = await read<Refusal>(response);
    const details = (answer.details ?? []).map((detail) => `${detail.path}: ${detail.message}`);
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
    async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      if (!token)
        throw new Error(
          "VITRINE_OPERATOR_TOKEN is not set; set it to the token that the service was started with.",
        );
      const response = await send(path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) return read<Answer>(response);
      if (response.status !== 401) throw await refusalOf(path, response);
      await read(response);
      throw new AdminError(
        401,
        "the service refused VITRINE_OPERATOR_TOKEN; use the one it was started with.",
      );
    },
    async open(path, headers, signal) {
      const response = await send(path, { headers, ...(signal && { signal }) });
      if (!response.ok) throw await refusalOf(path, response);
      return response;
    },
  };
}

function keptToken(baseUrl: string, dataFolder: string): string | undefined {
  return isLocal(baseUrl) && existsSync(dataFolder) ? localOperatorToken(dataFolder) : undefined;
}
