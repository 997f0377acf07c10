/** Delegate registry v2: every call emits an event, even without a change, so the last event per hash is the state. */

import { type Context, ponder } from "ponder:registry";
import { delegation } from "ponder:schema";
import { type DelegationKey, delegationHash } from "../domain/delegation-hash.ts";
import { type ChainEvent, provenance } from "./event-row.ts";

interface Change extends DelegationKey {
  readonly enabled: boolean;
  readonly amount?: bigint;
}

async function project(event: ChainEvent, context: Context, change: Change): Promise<void> {
  const { type, rights, from, to, contract, tokenId, enabled, amount } = change;
  const latest = { enabled, amount: amount ?? null, ...provenance(event) };
  await context.db
    .insert(delegation)
    .values({
      chainId: context.chain.id,
      hash: delegationHash(change),
      type,
      rights,
      from,
      to,
      contract: contract ?? null,
      tokenId: tokenId ?? null,
      ...latest,
    })
    .onConflictDoUpdate(latest);
}

ponder.on("DelegateRegistry:DelegateAll", async ({ event, context }) => {
  const { from, to, rights, enable } = event.args;
  await project(event, context, { type: "ALL", from, to, rights, enabled: enable });
});

ponder.on("DelegateRegistry:DelegateContract", async ({ event, context }) => {
  const { from, to, contract_, rights, enable } = event.args;
  await project(event, context, { type: "CONTRACT", from, to, contract: contract_, rights, enabled: enable });
});

ponder.on("DelegateRegistry:DelegateERC721", async ({ event, context }) => {
  const { from, to, contract_, tokenId, rights, enable } = event.args;
  await project(event, context, {
    type: "ERC721",
    from,
    to,
    contract: contract_,
    tokenId,
    rights,
    enabled: enable,
  });
});

// An amount of zero revokes these two types.
ponder.on("DelegateRegistry:DelegateERC20", async ({ event, context }) => {
  const { from, to, contract_, rights, amount } = event.args;
  await project(event, context, {
    type: "ERC20",
    from,
    to,
    contract: contract_,
    rights,
    amount,
    enabled: amount > 0n,
  });
});

ponder.on("DelegateRegistry:DelegateERC1155", async ({ event, context }) => {
  const { from, to, contract_, tokenId, rights, amount } = event.args;
  const contract = contract_;
  await project(event, context, {
    type: "ERC1155",
    from,
    to,
    contract,
    tokenId,
    rights,
    amount,
    enabled: amount > 0n,
  });
});
