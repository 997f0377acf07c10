/** Trade checks with `verify: "chain"` by the deployed service, against real transfers. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Chain, startChain } from "../../demo/chain.ts";
import type { Service } from "../../demo/service.ts";
import { createSite, type Site, untilIndexed } from "../support/chain/chain-tables.ts";
import { lower } from "../support/chain/contract-answers.ts";
import { createTradeCast, type TradeCast } from "../support/chain/trade-cast.ts";
import { eventually } from "../support/eventually.ts";
import { type RpcProxy, startRpcProxy } from "../support/servers/rpc-proxy.ts";
import { createKey } from "../support/service-key.ts";

let chain: Chain;
let cast: TradeCast;
let proxy: RpcProxy;
let site: Site;
let service: Service;
let key: string;
beforeAll(async () => {
  chain = await startChain();
  cast = await createTradeCast(chain);
  // The guard trusts a chain index only while blocks keep coming.
  await chain.mineEvery(1);
  proxy = await startRpcProxy(chain.rpcUrl);
  site = await createSite([{ chain, collections: cast.collections }], {
    [`PONDER_RPC_URL_${chain.chainId}`]: proxy.url,
  });
  service = await site.start("verified_trades");
  await untilIndexed(service, chain);
  key = await createKey(service);
});
afterAll(async () => {
  await site.close();
  await proxy.close();
});

interface Check {
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly as_of_block: number;
  readonly verified_at_block: number | null;
}

async function check(more: object): Promise<Check[]> {
  const items = cast.tokens.map(({ contract, id }) => ({
    collection_address: lower(contract),
    token_id: String(id),
  }));
  const response = await fetch(`${service.baseUrl}/market/trade_checks`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ action: "transfer", items, ...more }),
  });
  const body = (await response.json()) as { items?: Check[] };
  if (!body.items) throw new Error(JSON.stringify(body));
  return body.items;
}

const untilFresh = (more: object): Promise<Check[]> =>
  eventually(
    () => check(more),
    (checks) => checks.every(({ reason }) => reason !== "index_stale"),
  );

it("while its node hangs on transfers, every check is answered and nothing is allowed", async () => {
  proxy.reset(({ calls }) =>
    calls.some(({ params }) => (params?.[0] as { from?: string } | undefined)?.from !== undefined),
  );

  const checks = await untilFresh({ verify: "chain" });
  proxy.reset();

  for (const { allowed, reason } of checks) expect([allowed, reason]).toEqual([false, "not_verified"]);
});

it("agrees with what happens to every token that is really moved, where events alone do not", async () => {
  const byEvents = await untilFresh({});
  const verified = await untilFresh({ verify: "chain" });
  await chain.rpc("evm_setAutomine", [true]);
  const moved: boolean[] = [];
  for (const token of cast.tokens) moved.push(await cast.move(token));

  expect(byEvents.map(({ allowed }) => allowed)).toEqual(cast.tokens.map(() => true));
  for (const [index, token] of cast.tokens.entries()) {
    const checked = verified[index] as Check;
    expect([checked.allowed, moved[index]], token.what).toEqual([
      token.detail === null,
      token.detail === null,
    ]);
    expect(checked.reason, token.what).toBe(token.detail === null ? null : "transfer_reverts");
    expect(checked.verified_at_block, token.what).toBeGreaterThanOrEqual(checked.as_of_block);
  }
});
