/** Waits until a service has read all that it was asked to read. */

import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest, RunTools } from "./request.ts";

// Of a few seconds' work, on a machine that does other things.
const WITHIN_MS = 180_000;
const EVERY_MS = 500;
const SAME_TIMES = 3;
/**
 * Tokens whose first read fails, and one whose image is not there: they are read again after half a minute, and then not
 * before five.
 */
const READ_AGAIN = [...[38, 39, 47, 48].map((id) => `{{heroes}}/tokens/${id}`), "{{items}}/tokens/16"];

interface Tokens {
  readonly items: readonly {
    readonly metadata: { readonly status: string };
    readonly image: { readonly status: string };
  }[];
}

const collectionsOf = ["heroes", "items"];

export function createSettle(ask: RunTools["ask"]): () => Promise<void> {
  let isReadAgain = false;
  const read = async (path: string): Promise<string> =>
    (await ask({ method: "GET", path, key: "full" } satisfies HttpRequest)).text;

  /** What there is, as text; undefined while something waits. */
  async function readState(): Promise<string | undefined> {
    const freshness = JSON.parse(await read("/freshness")) as { queue?: { waiting: number } };
    if (freshness.queue?.waiting !== 0) return undefined;
    const lists = await Promise.all(
      collectionsOf.map((name) => read(`/market/collections/{{${name}}}/tokens?limit=100`)),
    );
    const tokens = lists.flatMap((list) => (JSON.parse(list) as Tokens).items);
    const isPending = tokens.some(({ metadata, image }) =>
      [metadata.status, image.status].includes("pending"),
    );
    if (tokens.length === 0 || isPending) return undefined;
    if (!isReadAgain) {
      const reports = await Promise.all(
        READ_AGAIN.map((token) => read(`/market-partner/collections/${token}/report`)),
      );
      isReadAgain = reports.every((report) => /"recheck"|"confirmations":1/.test(report));
      if (!isReadAgain) return undefined;
    }
    return lists.join("\n");
  }

  return async () => {
    const deadline = Date.now() + WITHIN_MS;
    let before: string | undefined;
    for (let same = 0; same < SAME_TIMES; ) {
      const now = await readState();
      same = now !== undefined && now === before ? same + 1 : 0;
      before = now;
      if (Date.now() > deadline)
        throw new Error(`the service is never done with reading; last: ${now?.slice(0, 500)}`);
      await sleep(EVERY_MS);
    }
  };
}
