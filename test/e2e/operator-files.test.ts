/** An operator's way from an empty folder: add a collection, start the service, export it. */

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SERVING_BUNDLE } from "../../bin/serving-bundle.ts";
import { type Chain, startChain } from "../../demo/chain.ts";
import { freePort, type Service, startService } from "../../demo/service.ts";
import { stopEmbeddedPostgres } from "../../src/api/postgres/embedded-postgres.ts";
import { makeFolder } from "../support/folder.ts";
import { runVitrine } from "../support/processes/command.ts";
import { childrenOf, commandOf } from "../support/processes/process-state.ts";
import { eventually } from "../support/processes/world.ts";

const folder = makeFolder();
const file = join(folder, "collections.json");
let chain: Chain;
let service: Service | undefined;
let env: Record<string, string>;

beforeAll(async () => {
  chain = await startChain();
  const port = await freePort();
  env = {
    DATABASE_URL: "",
    BASE_URL: `http://localhost:${port}`,
    PORT: String(port),
    VITRINE_DATA: folder,
    VITRINE_OPERATOR_TOKEN: "operator-token-of-the-files-test",
    COLLECTIONS_FILE: file,
    [`PONDER_RPC_URL_${chain.chainId}`]: chain.rpcUrl,
  };
});
afterAll(async () => {
  await service?.stop();
  await stopEmbeddedPostgres(folder);
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
});

const vitrine = (...args: readonly string[]) => runVitrine(["--json", ...args], { env });

it("the file that `collections add` wrote starts the service, whose tokens `export` writes", async () => {
  const heroes = await chain.deploy("VitrineHeroes", ["http://127.0.0.1:9/"]);
  await chain.write(heroes, "mintRange", [chain.account(1).address, 1n, 3n]);

  const added = await vitrine("collections", "add", heroes.address, "--slug", "heroes", "--yes");
  expect(added).toMatchObject({ code: 0 });
  const startBlock = Number(heroes.deployedAtBlock);
  expect(JSON.parse(added.stdout)).toMatchObject({ added: true, entry: { startBlock } });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject([{ startBlock, slug: "heroes" }]);

  // As an operator's shell has it: `npm start` makes its bundle itself.
  const own = { ...env, [SERVING_BUNDLE]: "" };
  service = await startService({ port: Number(env.PORT), env: own, logFile: join(folder, "service.log") });
  const children = childrenOf(service.process.pid ?? 0).map(commandOf);
  expect(children).toContainEqual(expect.stringContaining("/postgres/postgres-keeper.mjs "));

  const { stdout } = await eventually(
    () => vitrine("export", "heroes"),
    (run) => run.code === 0 && run.stdout.includes('"token_id":"3"'),
  );
  const rows = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.map(({ token_id, owner }) => [token_id, owner])).toEqual(
    ["1", "2", "3"].map((id) => [id, chain.account(1).address.toLowerCase()]),
  );
});
