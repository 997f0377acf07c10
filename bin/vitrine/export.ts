/** `npx vitrine export`: a whole collection as a file. */

import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type Command, Option } from "commander";
import { exportFormats } from "../../src/api/catalog/exports/format-names.ts";
import { collectionKey } from "../../src/domain/token-ref.ts";
import { ColumnsChanged, findWritten, type Progress, writeExport } from "../export/write.ts";
import type { Answer } from "./answers.ts";
import { createStatusLine } from "./status-line.ts";
import { notEmpty, type Tool } from "./tool.ts";

interface Options {
  readonly format: (typeof exportFormats)[number];
  readonly what: "tokens" | "owners";
  readonly chain?: string;
  readonly atBlock?: string;
  readonly after?: string;
  readonly fromTokenId?: string;
  readonly toTokenId?: string;
  readonly out?: string;
  readonly resume?: boolean;
}

const APP = "npx vitrine export";
// Of a terminal that closes, too.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const SIGNALS_TOGETHER_MS = 1_000;
// The service checks it when the export begins, so it need not work until the end.
const KEY_SECONDS = 600;

export function addExportCommand(program: Command, tool: Tool): void {
  program
    .command("export")
    .argument("<collection>", "", notEmpty)
    .description(
      "write a whole collection, by address or slug, as of one block; docs/exports.md has the rows",
    )
    .addOption(new Option("--format <format>", "of the output").choices(exportFormats).default("ndjson"))
    .addOption(new Option("--what <rows>", "which rows").choices(["tokens", "owners"]).default("tokens"))
    .option("--chain <id>", "needed where several chains have the address")
    .option("--at-block <block>", "owners: those at the end of this block")
    .option("--after <id>", "only rows after this token id, or owner")
    .option("--from-token-id <id>", "tokens: the first id")
    .option("--to-token-id <id>", "tokens: the last id")
    .option("--out <file>", "a new file (default: stdout)")
    .option("--resume", "resume after the last complete row of --out (NDJSON and CSV)")
    .addHelpText(
      "after",
      `\nIt reads with a key of the app "${APP}", which is created for this run and revoked at its end.`,
    )
    .action((collection: string, options: Options) => run(tool, collection, options));
}

async function run({ connect, print, progress }: Tool, collection: string, options: Options): Promise<void> {
  const { format, what, out: file, resume: isResume = false } = options;
  const written = await findWritten(file, { format, what, isResume });
  const query = new URLSearchParams({ format, what });
  const asked = {
    chain_id: options.chain,
    at_block: options.atBlock,
    after: written.last ?? options.after,
    from_token_id: options.fromTokenId,
    to_token_id: options.toTokenId,
  };
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value);

  const service = connect();
  const stop = new AbortController();
  let stoppedAt = Number.POSITIVE_INFINITY;
  const onSignal = (): void => {
    // A terminal that closes sends several at once; a later one is from somebody who waits for a service that hangs.
    if (performance.now() - stoppedAt > SIGNALS_TOGETHER_MS) process.exit(1);
    stoppedAt = Math.min(stoppedAt, performance.now());
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const key = await service.call<Answer<"createKey">>("POST", "/admin/keys", {
    app: APP,
    apis: ["market"],
    expires_in_seconds: KEY_SECONDS,
  });
  const line = createStatusLine(process.stderr);
  let last: Progress = { rows: 0, bytes: 0 };
  try {
    const path = `/market/collections/${encodeURIComponent(collection)}`;
    const headers = { "x-api-key": key.key };
    if (written.collection !== undefined) {
      const chain = options.chain === undefined ? "" : `?${new URLSearchParams({ chain_id: options.chain })}`;
      const named = await service.open(`${path}${chain}`, headers, stop.signal);
      const found = (await named.json()) as { chain_id: number; collection_address: string };
      const requested = collectionKey({ chainId: found.chain_id, address: found.collection_address });
      if (written.collection !== requested)
        throw new Error(
          `${file} can't be continued: its last row is of ${written.collection}, and ${collection} is ${requested}.`,
        );
    }
    const response = await service.open(`${path}/export?${query}`, headers, stop.signal);
    const block = response.headers.get("x-as-of-block");
    const done = await writeExport(response.body as unknown as NodeReadableStream<Uint8Array>, {
      file,
      format,
      written,
      signal: stop.signal,
      onProgress(now) {
        last = now;
        line.show(describe(now));
      },
    }).catch((cause: Error) => {
      if (cause instanceof ColumnsChanged) throw cause;
      const why = stop.signal.aborted ? "it was stopped" : cause.message;
      const next = file !== undefined && format !== "parquet" ? " Run it again with --resume." : "";
      throw new Error(`the export ended early, after ${describe(last)}: ${why}.${next}`, { cause });
    });
    line.end();
    const result = { file, ...done, rows_before: written.rows, as_of_block: block && Number(block) };
    const before = written.rows > 0 ? `, after ${written.rows} existing rows` : "";
    const lines = [`${file}: ${describe(done)}${before}, as of block ${block ?? "none"}`];
    if (file !== undefined) print(result, lines);
  } finally {
    line.end();
    // Not what the export failed for, if it did.
    await service
      .call("DELETE", `/admin/keys/${encodeURIComponent(key.id)}`)
      .catch((error: Error) => progress(`key ${key.id} could not be revoked: ${error.message}`));
    // Last: a second signal, as of a terminal that closes, would leave the key.
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

const describe = ({ rows, bytes }: Progress): string =>
  [...(rows === null ? [] : [`${rows} ${rows === 1 ? "row" : "rows"}`]), `${bytes} bytes`].join(", ");
