/** Groonga, a search engine with facets, as a server with one collection's tokens: the other side of the bench of engines. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../demo/service.ts";

// Bigrams of all characters find a text anywhere in a name. Token ids of the bench fit 64 bits.
const SCHEMA = `
table_create Values TABLE_HASH_KEY Int32
table_create Numbers TABLE_PAT_KEY Int32
table_create Terms TABLE_PAT_KEY ShortText --default_tokenizer TokenBigramSplitSymbolAlphaDigit --normalizer NormalizerAuto
table_create Tokens TABLE_PAT_KEY UInt64
column_create Tokens name COLUMN_SCALAR ShortText
column_create Tokens number COLUMN_SCALAR Int32
column_create Tokens traits COLUMN_VECTOR Values
column_create Values tokens COLUMN_INDEX Tokens traits
column_create Numbers tokens COLUMN_INDEX Tokens number
column_create Terms tokens COLUMN_INDEX|WITH_POSITION Tokens name
`;

export interface GroongaToken {
  readonly tokenId: string;
  readonly name: string;
  readonly number: number;
  readonly traits: readonly number[];
}

export interface Groonga {
  /** The first ids that match, ascending, and how many match. */
  page(filter: string, limit: number): Promise<{ readonly tokenIds: string[]; readonly total: number }>;
  /** The most frequent values among the tokens that match, and how many match. */
  facets(filter: string, values: number): Promise<{ readonly counts: number; readonly total: number }>;
  close(): Promise<void>;
}

/** Whether Debian's groonga-bin is installed. */
export function hasGroonga(): boolean {
  try {
    execFileSync("groonga", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Loads the tokens and starts a server on them. */
export async function startGroonga(batches: AsyncIterable<readonly GroongaToken[]>): Promise<Groonga> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-groonga-"));
  const path = join(folder, "db");
  execFileSync("groonga", ["-n", path], { input: SCHEMA, stdio: ["pipe", "ignore", "inherit"] });
  for await (const tokens of batches) {
    const rows = tokens.map(({ tokenId, ...row }) => JSON.stringify({ _key: tokenId, ...row }));
    const input = `load --table Tokens\n[\n${rows.join(",\n")}\n]\n`;
    execFileSync("groonga", [path], { input, stdio: ["pipe", "ignore", "inherit"] });
  }
  const port = await freePort();
  const server = spawn(
    "groonga",
    ["--bind-address", "127.0.0.1", "-p", String(port), "--protocol", "http", "-s", path],
    {
      stdio: "ignore",
    },
  );
  const base = `http://127.0.0.1:${port}/d/`;
  await answers(`${base}status`);
  // Otherwise it answers a repeated query from its cache.
  await fetch(`${base}cache_limit?max=0`);

  async function select(parameters: Record<string, string>): Promise<unknown[][]> {
    const query = new URLSearchParams({ table: "Tokens", ...parameters });
    const response = await fetch(`${base}select?${query}`);
    const [[code, , , message], body] = (await response.json()) as [
      [number, number, number, string?],
      unknown[][],
    ];
    if (code !== 0) throw new Error(`groonga: ${message}`);
    return body;
  }
  // A result: the number of hits, the columns, and the rows.
  const totalOf = (result: unknown): number => Number((result as number[][])[0]?.[0]);

  return {
    async page(filter, limit) {
      const [result = []] = await select({
        filter,
        limit: String(limit),
        sort_keys: "_key",
        output_columns: "_key",
      });
      return {
        tokenIds: result.slice(2).map((row) => String((row as unknown[])[0])),
        total: totalOf(result),
      };
    },
    async facets(filter, values) {
      const [result, counts = []] = await select({
        filter,
        limit: "0",
        output_columns: "_key",
        drilldown: "traits",
        drilldown_limit: String(values),
        drilldown_sort_keys: "-_nsubrecs",
        drilldown_output_columns: "_key,_nsubrecs",
      });
      return { counts: counts.length - 2, total: totalOf(result) };
    },
    async close() {
      await end(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let nth = 0; nth < 100; nth++) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("groonga does not answer");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
