/** Decides which requested tokens are fetched, and what callers learn immediately about the others. */

import type { CollectionConfig } from "../../config.ts";
import type { Queryable } from "../db/database.ts";
import { ApiError, UNAVAILABLE_RETRY_SECONDS } from "../http/errors.ts";
import { burnedReason } from "../metadata/rules.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { AskExistence, Existence } from "../metadata/uri/existence.ts";
import type { UnseenCapacity } from "./queue/unseen-queue.ts";

export type Verdict =
  /** Must be read at `block` or later. `isVouched`: new to us, and the contract itself confirms that it exists. */
  | { readonly kind: "fetched"; readonly block: number; readonly isVouched: boolean }
  | { readonly kind: "burned"; readonly reason: string }
  | { readonly kind: "not_found"; readonly reason: string | null }
  /** Whether it exists could not be determined, and the caller may not queue it without that. */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface VerdictDeps {
  readonly database: Queryable;
  readonly metadata: Pick<MetadataService, "findKnown">;
  readonly askExistence: AskExistence;
}

const UNPROVEN =
  "unproven: no transfer of it is indexed, and the contract does not say whether it exists; only callers with a key can request it";
const queueFull = (max: number): string =>
  `queue_full: ${max} unknown tokens are already waiting; try again in ${UNAVAILABLE_RETRY_SECONDS} s`;
const NODE_AWAY = "rpc_unavailable: no transfer of it is indexed, and the node is unreachable; try again";

export type JudgeTokens = (
  collection: CollectionConfig,
  tokenIds: readonly string[],
  caller: {
    readonly anonymous: boolean;
    /** The queue's capacity for tokens without an indexed transfer; unlimited without it. */
    readonly capacity?: UnseenCapacity | undefined;
  },
) => Promise<ReadonlyMap<string, Verdict>>;

/**
 * Tokens with an indexed transfer are fetched unless they are burned. For others the contract is asked, at the node's
 * head. If it gives no answer, or the node is unreachable, they are queued for callers with a key: a mint may be on its
 * way. The fetches of these tokens count against the caller's capacity.
 */
export function createJudge({ database, metadata, askExistence }: VerdictDeps): JudgeTokens {
  const judgeUnseen: JudgeTokens = async (collection, unseen, { anonymous, capacity }) => {
    if (unseen.length === 0) return new Map();
    const isFull = (max: number): Verdict => ({ kind: "unavailable", reason: queueFull(max) });
    if (capacity && !(await capacity.isLeft()))
      return new Map(unseen.map((id) => [id, isFull(capacity.max)]));
    const existences = await askExistence(collection, unseen);
    const verdicts = new Map(unseen.map((id) => [id, verdictOn(existences.get(id), anonymous)]));
    const count = fetchedOf(verdicts, () => true).size;
    if (!capacity || count === 0 || (await capacity.take(count))) return verdicts;
    return new Map(
      [...verdicts].map(([id, verdict]) => [id, verdict.kind === "fetched" ? isFull(capacity.max) : verdict]),
    );
  };

  return async (collection, tokenIds, caller) => {
    const known = await metadata.findKnown(database, collection.chainId, collection.address, tokenIds);
    const unseen = tokenIds.filter((id) => !known.has(id));
    const verdicts = await judgeUnseen(collection, unseen, caller);
    return new Map(
      tokenIds.map((tokenId): readonly [string, Verdict] => {
        const token = known.get(tokenId);
        if (!token) return [tokenId, verdicts.get(tokenId) ?? verdictOn(undefined, caller.anonymous)];
        if (token.burnedBlock === null) return [tokenId, { kind: "fetched", block: 0, isVouched: false }];
        return [tokenId, { kind: "burned", reason: burnedReason(token.burnedBlock) }];
      }),
    );
  };
}

function verdictOn(existence: Existence | undefined, anonymous: boolean): Verdict {
  switch (existence?.kind) {
    case "exists":
      return { kind: "fetched", block: existence.block, isVouched: true };
    case "absent":
      return { kind: "not_found", reason: null };
    case "unproven":
      if (anonymous) return { kind: "not_found", reason: UNPROVEN };
      return { kind: "fetched", block: existence.block, isVouched: false };
    default:
      if (anonymous) return { kind: "unavailable", reason: NODE_AWAY };
      return { kind: "fetched", block: existence?.block ?? 0, isVouched: false };
  }
}

export interface RequestedToken {
  readonly token_id: string;
  readonly status: "queued" | "not_found" | "failed";
  /** Why it is not queued, if the reason is not that it is unknown. */
  readonly reason?: string;
}

/** The tokens to fetch, each with the block to read it at. */
export const fetchedOf = (
  verdicts: ReadonlyMap<string, Verdict>,
  isMeant: (verdict: Extract<Verdict, { kind: "fetched" }>) => boolean,
): ReadonlyMap<string, number> =>
  new Map(
    [...verdicts].flatMap(([tokenId, verdict]) =>
      verdict.kind === "fetched" && isMeant(verdict) ? [[tokenId, verdict.block] as const] : [],
    ),
  );

/** The immediate result for a token. */
export function viewVerdict(token_id: string, verdict: Verdict): RequestedToken {
  if (verdict.kind === "fetched") return { token_id, status: "queued" };
  const status = verdict.kind === "unavailable" ? "failed" : "not_found";
  return { token_id, status, ...(verdict.reason !== null && { reason: verdict.reason }) };
}

/**
 * The error for a request of which nothing was accepted: it asks for a retry if only a node was unreachable. `status` is
 * that of unknown tokens.
 */
export const refusalOf = (
  tokens: readonly RequestedToken[],
  pathOf: (index: number) => string = (index) => `token_ids[${index}]`,
  status: 400 | 404 = 400,
): ApiError => {
  const isUnavailable = tokens.some((token) => token.status === "failed");
  return new ApiError(
    isUnavailable ? "UNAVAILABLE" : "TOKEN_NOT_FOUND",
    tokens.flatMap(({ reason }, index) =>
      reason === undefined ? [] : { path: pathOf(index), message: reason },
    ),
    isUnavailable ? {} : { status },
  );
};
