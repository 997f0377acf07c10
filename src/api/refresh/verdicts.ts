/** Which of the tokens that somebody asks for are fetched, and what is said of the others at once. */

import type { CollectionConfig } from "../../config.ts";
import type { Queryable } from "../db/database.ts";
import { ApiError, UNAVAILABLE_RETRY_SECONDS } from "../http/errors.ts";
import { burnedReason } from "../metadata/rules.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { AskExistence, Existence } from "../metadata/uri/existence.ts";
import type { UnseenCapacity } from "./queue/unseen-queue.ts";

export type Verdict =
  /** To be read at `block` or later. `isVouched`: new to us, and the contract itself says that it exists. */
  | { readonly kind: "fetched"; readonly block: number; readonly isVouched: boolean }
  | { readonly kind: "burned"; readonly reason: string }
  | { readonly kind: "not_found"; readonly reason: string | null }
  /** Nothing could be found out about it, and the caller may not have it queued on a guess. */
  | { readonly kind: "unavailable"; readonly reason: string };

export interface VerdictDeps {
  readonly database: Queryable;
  readonly metadata: Pick<MetadataService, "findKnown">;
  readonly askExistence: AskExistence;
}

const UNPROVEN =
  "unproven: no transfer of it is indexed, and the contract does not tell whether it exists; only callers with a key may have it read";
const queueFull = (max: number): string =>
  `queue_full: ${max} tokens that are not known yet are waiting already; try again in ${UNAVAILABLE_RETRY_SECONDS} s`;
const NODE_AWAY = "rpc_unavailable: no transfer of it is indexed, and the node does not answer; ask again";

export type JudgeTokens = (
  collection: CollectionConfig,
  tokenIds: readonly string[],
  caller: {
    readonly anonymous: boolean;
    /** What the queue has for tokens that no transfer has told of; without it, there is always room. */
    readonly room?: UnseenCapacity | undefined;
  },
) => Promise<ReadonlyMap<string, Verdict>>;

/**
 * Tokens that a transfer has told of are fetched unless they are burned. The contract is asked about others, at the node's
 * head. Where it does not tell, and while the node is away, callers with a key have them queued: a mint may be on its way.
 * What is to be fetched of these is taken from the caller's room.
 */
export function createJudge({ database, metadata, askExistence }: VerdictDeps): JudgeTokens {
  const judgeUnseen: JudgeTokens = async (collection, unseen, { anonymous, room }) => {
    if (unseen.length === 0) return new Map();
    const isFull = (max: number): Verdict => ({ kind: "unavailable", reason: queueFull(max) });
    if (room && !(await room.isLeft())) return new Map(unseen.map((id) => [id, isFull(room.max)]));
    const existences = await askExistence(collection, unseen);
    const verdicts = new Map(unseen.map((id) => [id, verdictOn(existences.get(id), anonymous)]));
    const count = fetchedOf(verdicts, () => true).size;
    if (!room || count === 0 || (await room.take(count))) return verdicts;
    return new Map(
      [...verdicts].map(([id, verdict]) => [id, verdict.kind === "fetched" ? isFull(room.max) : verdict]),
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
  /** Why it is not queued, where there is more to say than that nobody knows it. */
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

/** What is said of a token at once. */
export function viewVerdict(token_id: string, verdict: Verdict): RequestedToken {
  if (verdict.kind === "fetched") return { token_id, status: "queued" };
  const status = verdict.kind === "unavailable" ? "failed" : "not_found";
  return { token_id, status, ...(verdict.reason !== null && { reason: verdict.reason }) };
}

/**
 * How a request is refused of which nothing was accepted: to be tried again where only a node was away. `code` is that of
 * unknown tokens.
 */
export const refusalOf = (
  tokens: readonly RequestedToken[],
  pathOf: (index: number) => string = (index) => `token_ids[${index}]`,
  code: "TOKEN_NOT_FOUND" | "TOKEN_UNKNOWN" = "TOKEN_NOT_FOUND",
): ApiError =>
  new ApiError(
    tokens.some(({ status }) => status === "failed") ? "UNAVAILABLE" : code,
    tokens.flatMap(({ reason }, index) =>
      reason === undefined ? [] : { path: pathOf(index), message: reason },
    ),
  );
