/**
 * What an operator would write instead: reads every token's URI and document and stores the same rows as Vitrine (token,
 * version with history, document bytes, traits with an index for filters), without retries, leases or receipts.
 * Prints the seconds that it took.
 */

import { createHash } from "node:crypto";
import pg from "pg";
import { Agent, request } from "undici";
import { type Address, createPublicClient, http, parseAbi } from "viem";
import { foundry, mainnet } from "viem/chains";

const WRITTEN_TOGETHER = 500;
const TIMEOUT_MS = 10_000;
const CALL_BYTES_TOGETHER = 4_096;

const [, , url = "", rpcUrl = "", address = "", count = "0", concurrency = "32"] = process.argv;
const client = createPublicClient({
  chain: { ...foundry, contracts: { multicall3: mainnet.contracts.multicall3 } },
  batch: { multicall: { batchSize: CALL_BYTES_TOGETHER, wait: 5 } },
  transport: http(rpcUrl),
});
const abi = parseAbi(["function tokenURI(uint256) view returns (string)"]);
const agent = new Agent({ connections: Number(concurrency) });
const db = new pg.Client({ connectionString: url });
await db.connect();
await db.query(`
  create schema if not exists script;
  create table if not exists script.document (hash text primary key, body bytea not null);
  create table if not exists script.version (
    id bigint generated always as identity primary key, collection text not null, token_id numeric(78) not null, number int not null,
    uri text not null, hash text not null, metadata text not null, fetched_at timestamptz not null default now(),
    unique (collection, token_id, number));
  create table if not exists script.trait_value (
    id int generated always as identity primary key, collection text not null, trait_type text not null, value text not null,
    unique (collection, trait_type, value));
  create table if not exists script.token (
    collection text not null, token_id numeric(78) not null, name text, description text, served_version bigint not null,
    versions int not null, traits int[] not null, changed xid8 not null default pg_current_xact_id(), last_fetch_at timestamptz not null default now(),
    primary key (collection, token_id));
  create index if not exists token_changed on script.token (collection, changed);
  create index if not exists token_traits on script.token using gin (traits);`);

interface Found {
  readonly tokenId: string;
  readonly uri: string;
  readonly body: Buffer;
  readonly document: {
    name: string;
    description: string;
    attributes: { trait_type: string; value: unknown }[];
  };
}

const found: Found[] = [];
const valueIds = new Map<string, number>();
let writing = Promise.resolve();

async function read(tokenId: string): Promise<void> {
  const uri = await client.readContract({
    address: address as Address,
    abi,
    functionName: "tokenURI",
    args: [BigInt(tokenId)],
  });
  const { body } = await request(uri, { dispatcher: agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const bytes = Buffer.from(await body.arrayBuffer());
  found.push({ tokenId, uri, body: bytes, document: JSON.parse(bytes.toString("utf8")) });
  if (found.length < WRITTEN_TOGETHER) return;
  const batch = found.splice(0);
  writing = writing.then(() => write(batch));
}

const keyOf = (type: string, value: unknown): string => JSON.stringify([type, String(value)]);

async function write(batch: readonly Found[]): Promise<void> {
  const hashes = batch.map(({ body }) => createHash("sha256").update(body).digest("hex"));
  await db.query("begin");
  const missing = new Map<string, [string, string]>();
  for (const { document } of batch) {
    for (const { trait_type, value } of document.attributes) {
      const key = keyOf(trait_type, value);
      if (!valueIds.has(key)) missing.set(key, [trait_type, String(value)]);
    }
  }
  if (missing.size > 0) {
    const rows = [...missing.values()];
    const { rows: added } = await db.query(
      `insert into script.trait_value (collection, trait_type, value) select $1, * from unnest($2::text[], $3::text[])
       on conflict (collection, trait_type, value) do update set value = excluded.value returning id, trait_type, value`,
      [address, rows.map(([type]) => type), rows.map(([, value]) => value)],
    );
    for (const { id, trait_type, value } of added) valueIds.set(keyOf(trait_type, value), id);
  }
  await db.query(
    "insert into script.document select * from unnest($1::text[], $2::bytea[]) on conflict do nothing",
    [hashes, batch.map(({ body }) => body)],
  );
  await db.query(
    `with k as (
       select * from unnest($2::numeric[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
         as k(token_id, uri, hash, metadata, name, description, traits)
     ), added as (
       insert into script.version (collection, token_id, number, uri, hash, metadata)
       select $1, k.token_id, coalesce(t.versions, 0) + 1, k.uri, k.hash, k.metadata
         from k left join script.token t on t.collection = $1 and t.token_id = k.token_id
       returning id, token_id, number)
     insert into script.token (collection, token_id, name, description, served_version, versions, traits)
     select $1, k.token_id, k.name, k.description, a.id, a.number, k.traits::int[] from k join added a using (token_id)
     on conflict (collection, token_id) do update
        set name = excluded.name, description = excluded.description, served_version = excluded.served_version,
            versions = excluded.versions, traits = excluded.traits, changed = pg_current_xact_id(), last_fetch_at = now()`,
    [
      address,
      batch.map(({ tokenId }) => tokenId),
      batch.map(({ uri }) => uri),
      hashes,
      batch.map(({ document }) => JSON.stringify(document)),
      batch.map(({ document }) => document.name),
      batch.map(({ document }) => document.description),
      batch.map(
        ({ document }) =>
          `{${document.attributes.map(({ trait_type, value }) => valueIds.get(keyOf(trait_type, value))).join(",")}}`,
      ),
    ],
  );
  await db.query("commit");
}

const startedAt = performance.now();
let next = 1;
const worker = async (): Promise<void> => {
  for (let id = next++; id <= Number(count); id = next++) await read(String(id));
};
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
await writing;
if (found.length > 0) await write(found.splice(0));
process.stdout.write(`${(performance.now() - startedAt) / 1000}\n`);
await db.end();
await agent.close();
