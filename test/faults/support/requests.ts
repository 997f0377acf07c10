/** A partner's requests that continue while the service comes and goes, and checks of their results. */

import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../support/processes/world.ts";
import type { Random } from "../../support/random.ts";
import { documentNamed } from "./origin.ts";
import type { Partner, Plant } from "./plant.ts";

const SENDERS = 4;
const AGAIN_MS = 100;
const UNANSWERED_MS = 5_000;
const ENDS_WITHIN_MS = 240_000;

export interface Entry {
  readonly receipt: string;
  readonly token: string;
  readonly status: string | null;
  readonly reason: string | null;
}

export interface Requests {
  /** Lets the senders continue until this many requests are accepted. */
  upTo(count: number): void;
  /** How many were accepted: answered with 200 and a receipt's id. */
  accepted(): number;
  /** How many were disconnected before an answer: the service may have accepted them all the same. */
  unanswered(): number;
  /** Resolves once all requests up to `upTo` are accepted; rejects with a fault of the senders. */
  sent(): Promise<void>;
  /** Changes the document of a token that is not requested here. */
  rename(id: number, name: string): void;
  /** Every entry of the receipts since the start of these requests. */
  entries(): Promise<readonly Entry[]>;
  /** Waits until no entry is open, and returns the entries. */
  ended(): Promise<readonly Entry[]>;
  /** Ids of accepted receipts that are missing in the database. */
  lost(): Promise<readonly string[]>;
  /** Tokens that are not served as they were at their last request. */
  stale(): Promise<readonly string[]>;
}

/** Sends one-token requests for tokens 1 to `tokens`; before each, the token's document changes at the origin. */
export function startRequests(plant: Plant, partner: Partner, tokens: number, dice: Random): Requests {
  const names = new Map<number, string>();
  const hostedName = (id: number): string => names.get(id) ?? `Hero ${id}`;
  plant.origin.behave((path) => ({
    body: documentNamed(hostedName(Number(path.slice("/t/".length)))),
    delayMs: dice.whole(0, 200),
  }));

  const receipts: string[] = [];
  let limit = 0;
  let begun = 0;
  let unanswered = 0;

  async function sendAll(): Promise<void> {
    while (begun < limit) {
      begun++;
      const id = dice.whole(1, tokens);
      names.set(id, `Hero ${id} of request ${begun}`);
      receipts.push(await send(String(id)));
    }
  }

  /** Retries until it is accepted. */
  async function send(id: string): Promise<string> {
    for (;;) {
      const answer = await within(UNANSWERED_MS, partner.refresh(plant.address, [id]));
      if (answer?.status === 200) return String(answer.body.refresh_id);
      if (answer && answer.status < 500)
        throw new Error(`a refresh of token ${id} was refused: ${JSON.stringify(answer)}`);
      unanswered++;
      await sleep(AGAIN_MS);
    }
  }

  let sending: Promise<unknown> = Promise.resolve();
  const since = new Date().toISOString();
  const entries = (): Promise<Entry[]> =>
    plant.query<Entry>(
      `select t.receipt_id as receipt, t.token_id as token, t.status, t.reason
         from vitrine.receipt_token t join vitrine.receipt p on p.id = t.receipt_id
        where p.created_at >= '${since}' order by p.created_at, t.position`,
    );

  return {
    upTo(count) {
      limit = count;
      const round = Promise.all(Array.from({ length: SENDERS }, sendAll));
      sending = Promise.all([sending, round]);
      // `sent` reports it; an earlier fault must not end the tests.
      sending.catch(() => undefined);
    },
    accepted: () => receipts.length,
    unanswered: () => unanswered,
    async sent() {
      await sending;
    },
    rename: (id, name) => void names.set(id, name),
    entries,
    async ended() {
      await eventually(
        () =>
          plant.query<{ open: number }>(
            "select count(*)::int as open from vitrine.receipt_token where status is null",
          ),
        ([row]) => row?.open === 0,
        ENDS_WITHIN_MS,
      );
      return entries();
    },
    async lost() {
      const written = new Set((await entries()).map(({ receipt }) => receipt));
      return receipts.filter((id) => !written.has(id));
    },
    async stale() {
      const rows = await plant.query<{ id: string; name: string | null }>(
        `select t.token_id as id, v.metadata::jsonb ->> 'name' as name
           from vitrine.token t left join vitrine.version v on v.id = t.served_version`,
      );
      const served = new Map(rows.map(({ id, name }) => [Number(id), name]));
      return [...names.keys()]
        .filter((id) => served.get(id) !== hostedName(id))
        .map((id) => `${hostedName(id)}: ${served.get(id)}`);
    },
  };
}

/** How many entries ended in each way. */
export function countEnds(entries: readonly Entry[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of entries) counts[status ?? "open"] = (counts[status ?? "open"] ?? 0) + 1;
  return counts;
}

/** Entries that did not end with a document. */
export const badEnds = (entries: readonly Entry[]): readonly Entry[] =>
  entries.filter(({ status }) => status !== "updated" && status !== "unchanged");

/** Undefined if the work takes too long or fails. */
async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | undefined> {
  const answer = work.catch(() => undefined);
  return Promise.race([answer, sleep(ms, undefined, { ref: false })]);
}
