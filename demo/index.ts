/** `npm run demo`: a local chain with real contracts, a metadata host, and Vitrine on top, until Ctrl-C. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { switchToOwnNode } from "../bin/own-node.ts";
import { stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";
import { startChain } from "./chain.ts";
import { guide } from "./guide.ts";
import { informationOf } from "./information.ts";
import { FAULTS, startMetadataHost } from "./metadata-host.ts";
import { populate } from "./populate.ts";
import { choosePort } from "./ports.ts";
import { type Service, startService } from "./service.ts";

await switchToOwnNode();

const BLOCK_SECONDS = 1;
const FIRST_METADATA_MS = 10_000;
// One host refuses every request.
const refused = FAULTS.filter(({ name }) => name === "bot-challenge").map(({ id }) => id);
const heroIds = Array.from({ length: 48 }, (_, index) => index + 1).filter((id) => !refused.includes(id));
const itemIds = Array.from({ length: 16 }, (_, index) => index + 1);
const VITRINE = fileURLToPath(new URL("../bin/vitrine.js", import.meta.url));

const startedAt = Date.now();
const say = (text: string): void => {
  process.stderr.write(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${text}\n`);
};

const closers: (() => Promise<unknown>)[] = [];
let closing: Promise<void> | undefined;
/** Stops everything that was started, in reverse order, whichever step failed. */
const closeAll = (): Promise<void> => {
  closing ??= (async () => {
    for (const close of closers.reverse()) {
      await close().catch((error: Error) => say(`while stopping: ${error.message}`));
    }
  })();
  return closing;
};

const run = async (): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-demo-"));
  // PostgreSQL refuses to run as root, and its own user must reach the folder.
  chmodSync(folder, 0o711);
  closers.push(async () => rmSync(folder, { recursive: true, force: true }));

  // First: a port that is taken ends the demo before anything was started.
  const port = await choosePort(process.env.PORT);

  say("Starting a local chain and a metadata host, compiling the contracts");
  const [chain, host] = await Promise.all([startChain(), startMetadataHost()]);
  closers.push(chain.close, host.close);

  say("Deploying an ERC-721, an ERC-1155 and a delegate registry; minting 64 tokens, locking some");
  const { erc721, erc1155, delegateRegistry, startBlock } = await populate(chain, host);
  await chain.mineEvery(BLOCK_SECONDS);

  const collectionsFile = join(folder, "collections.json");
  const entry = (address: string, name: string, slug: string) => ({
    chainId: chain.chainId,
    address,
    startBlock,
    name,
    slug,
  });
  const collections = [
    entry(erc721.address, "Vitrine Heroes", "vitrine-heroes"),
    entry(erc1155.address, "Vitrine Items", "vitrine-items"),
  ];
  writeFileSync(collectionsFile, JSON.stringify(collections, null, 2));

  const baseUrl = `http://localhost:${port}`;
  const operatorToken = randomBytes(24).toString("hex");
  const metadataHost = new URL(host.url).host;
  const env = {
    [`PONDER_RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    COLLECTIONS_FILE: collectionsFile,
    [`DELEGATE_REGISTRY_${chain.chainId}`]: `${delegateRegistry.address}@${startBlock}`,
    VITRINE_DATA: folder,
    DATABASE_URL: "",
    DATABASE_SCHEMA: "vitrine_demo",
    BASE_URL: baseUrl,
    VITRINE_OPERATOR_TOKEN: operatorToken,
    // A visitor's own entries too: webhooks reach a receiver on this machine only by one.
    ALLOW_PRIVATE_HOSTS: [metadataHost, process.env.ALLOW_PRIVATE_HOSTS].filter(Boolean).join(","),
    IPFS_GATEWAYS: host.ipfsGateway,
    // Visitors create an app and refresh a token without a wallet of their own and without an operator.
    AUTO_APPROVE: "market-partner,market",
    DEMO_WALLET: "true",
  };

  say("Starting PostgreSQL and Vitrine");
  closers.push(() => stopEmbeddedPostgres(folder));
  const service = await startService({ port, env, logFile: join(folder, "vitrine.log") });
  closers.push(() => service.stop("SIGINT"));

  say("Creating an API key and allowing the metadata host to show animations");
  const vitrine = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [VITRINE, ...args], {
      env: { ...process.env, ...env },
    });
    return stdout.trim();
  };
  const apiKey = await vitrine("keys", "create", "--app", "demo", "--api", "market-partner,market");
  await vitrine("allowlist", "add", metadataHost);
  const information = informationOf(host.url);
  await putInformation(baseUrl, apiKey, erc721.address, information.heroes);
  await putInformation(baseUrl, apiKey, erc1155.address, information.items);

  say("Waiting until the metadata of all tokens has been read");
  await waitForMetadata(baseUrl, apiKey, [
    ...heroIds.map((id) => `${erc721.address}/tokens/${id}`),
    ...itemIds.map((id) => `${erc1155.address}/tokens/${id}`),
  ]);

  const ready = {
    event: "ready",
    base_url: baseUrl,
    graphql_url: baseUrl,
    rpc_url: chain.rpcUrl,
    chain_id: chain.chainId,
    api_key: apiKey,
    operator_token: operatorToken,
    metadata_url: host.url,
    contracts: {
      erc721: erc721.address.toLowerCase(),
      erc1155: erc1155.address.toLowerCase(),
      delegate_registry: delegateRegistry.address.toLowerCase(),
    },
  };
  say("Ready");
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  process.stderr.write(guide(ready));
  return service;
};

/** Publishes a collection's information, as its studio does. */
const putInformation = async (
  baseUrl: string,
  apiKey: string,
  address: string,
  information: object,
): Promise<void> => {
  const answer = await fetch(`${baseUrl}/market-partner/collections/${address}/information`, {
    method: "PUT",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify(information),
  });
  if (!answer.ok)
    say(`the information of ${address} was answered with ${answer.status}: ${await answer.text()}`);
};

/** Waits until no token is pending its first document; those whose host refuses are retried for a while. */
const waitForMetadata = async (baseUrl: string, apiKey: string, tokens: readonly string[]): Promise<void> => {
  const deadline = Date.now() + FIRST_METADATA_MS;
  let waiting = tokens;
  while (waiting.length > 0 && Date.now() < deadline) {
    const statuses = await Promise.all(
      waiting.map(async (path) => {
        const answer = await fetch(`${baseUrl}/market/collections/${path}`, {
          headers: { "x-api-key": apiKey },
        });
        const token = (await answer.json()) as { metadata?: { status: string } };
        return token.metadata?.status ?? "none";
      }),
    );
    waiting = waiting.filter((_, index) => ["none", "pending"].includes(statuses[index] ?? ""));
    if (waiting.length > 0) await sleep(200);
  }
  if (waiting.length > 0)
    say(`${waiting.length} of ${tokens.length} tokens still wait; their hosts are asked again`);
};

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // npm repeats a terminal's Ctrl-C. By default, the second one would end this process and leave what it started.
    if (closing) return;
    say("Stopping");
    closeAll().then(() => process.exit(0));
  });
}

try {
  const service = await run();
  const code = await service.exited;
  if (!closing)
    throw new Error(`Vitrine ended (${code})\n${service.log().split("\n").slice(-20).join("\n")}`);
} catch (error) {
  if (!closing) {
    say((error as Error).message);
    process.exitCode = 1;
  }
}
await closeAll();
