/** What the chain changes: a lock, a transfer, a burn, and the stream of events that reports them. */

import type { Account } from "viem";
import type { Population } from "../../../demo/populate.ts";
import { each, get, type HttpRequest, page, post, type Request } from "../request.ts";

const token = "/market/collections/{{heroes}}/tokens/30";
const trade = { action: "trade", items: [{ collection_address: "{{heroes}}", token_id: "30" }] };
/** Sends a transaction to the heroes' contract before the request. */
const write =
  (name: string, args: unknown[], of: (population: Population) => Account): HttpRequest["prepare"] =>
  async ({ world: { chain, population } }) => {
    await chain.write(population.erc721, name, args, of(population));
    return undefined;
  };
const events = "/market/events?type=lock,unlock,default_lock&collection_address={{heroes}}";

const of = '"token_id":"30"';
const stream = { headers: { accept: "text/event-stream" } } as const;
const game = ({ lockers }: Population): Account => lockers[0];
const cy = ({ holders }: Population): Account => holders[2];
const ADA = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

export const chain: Request[] = each({ key: "full" }, [
  get(token, { note: "before" }),
  post("/market/trade_checks", trade, {
    note: "locked in this block",
    prepare: write("lockId", [30n], game),
    until: (text) => text.includes('"locked"'),
  }),
  get(token, { note: "locked" }),
  get("/market/collections/{{heroes}}/tokens?locked=true", {
    note: "three of them",
    until: (text) => text.includes('"total":3'),
  }),
  page("/collections/31337/{{heroes}}/30", { note: "locked" }),
  get(`${events}&last_event_id=0`, { ...stream, events: { of, count: 1 } }),
  post("/market/trade_checks", trade, {
    note: "unlocked in this block",
    prepare: write("unlockId", [30n], game),
    until: (text) => !text.includes('"locked"'),
  }),
  get(token, { note: "unlocked" }),
  get(`${events}&last_event_id=0`, { ...stream, note: "both", events: { of, count: 2 } }),
  get("/market/collections/{{heroes}}/tokens/29", {
    note: "moved",
    prepare: async ({ world: { chain, population } }) => {
      const [ada, , from] = population.holders;
      await chain.write(population.erc721, "transferFrom", [from.address, ada.address, 29n], from);
      return undefined;
    },
    until: (text) => text.includes(ADA),
  }),
  page("/collections/31337/{{heroes}}/29", { note: "moved" }),
  get("/market/collections/{{heroes}}/tokens/28", {
    note: "burned",
    prepare: write("burn", [28n], cy),
    until: (text) => text.includes('"burned":true'),
  }),
  get("/market/collections/{{heroes}}", { note: "one less", until: (text) => text.includes('"items":46') }),
  post(
    "/market-partner/collections/{{heroes}}/refresh_metadata?wait=10",
    { token_ids: ["28"] },
    { note: "a burned token" },
  ),
]);
