/** `npx vitrine refresh`: refreshes some or all tokens of a collection. */

import type { Command } from "commander";
import type { Answer } from "./answers.ts";
import { INTERRUPTED_EXIT_CODE, untilInterrupted } from "./follow.ts";
import { followRefresh, type Progress } from "./follow-refresh.ts";
import { createStatusLine } from "./status-line.ts";
import { type Tool, wholeNumber } from "./tool.ts";

interface Options {
  readonly accept?: boolean;
  readonly chain?: number;
  readonly detach?: boolean;
}

const NOT_ALL_EXIT_CODE = 2;

export function addRefreshCommand(program: Command, tool: Tool): void {
  program
    .command("refresh <collection> [ids...]")
    .description("read the metadata of tokens again, or of all known tokens of a collection without ids")
    .summary("read the metadata of tokens or of a collection again")
    .option("--accept", "serve the result even if it is less complete than the current one")
    .option("--chain <id>", "the chain, if several have the address", wholeNumber(1))
    .option("--detach", "print the refresh's id and don't wait")
    .addHelpText(
      "after",
      `
<collection> is its address or slug, or chainId:address where several chains have it. Ctrl-C leaves the refresh to the service.

Exit code: 0 when all are updated or unchanged, ${NOT_ALL_EXIT_CODE} when some failed or do not exist, 1 when it couldn't be determined.`,
    )
    .action((collection: string, ids: string[], options: Options) =>
      untilInterrupted(tool, (signal) => refresh(tool, collection, ids, options, signal)),
    );
}

async function refresh(
  { connect, print, progress: say }: Tool,
  collection: string,
  ids: readonly string[],
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  const client = connect();
  const body = {
    ...readCollection(collection, options.chain),
    ...(ids.length > 0 && { token_ids: ids }),
    accept: options.accept ?? false,
  };
  const requested = await client.call<Answer<"requestRefresh">>("POST", "/admin/refreshes", body, { signal });
  const { refresh_id: id } = requested;
  if (options.detach) return print(requested, [id]);

  const status = createStatusLine(process.stderr);
  const progress = await followRefresh({
    read: () => client.call<Progress>("GET", `/admin/refreshes/${id}`, undefined, { signal }),
    onText: status.show,
    signal,
  }).finally(status.end);
  if (!progress) {
    say(`the service continues in the background; GET /admin/refreshes/${id} shows its progress`);
    process.exitCode = INTERRUPTED_EXIT_CODE;
    return;
  }
  print(progress, resultLines(progress));
  if (progress.tokens.failed + progress.tokens.not_found > 0) process.exitCode = NOT_ALL_EXIT_CODE;
}

function readCollection(text: string, chain: number | undefined) {
  const [, named, address = text] = /^([1-9][0-9]{0,14}):(.+)$/.exec(text) ?? [];
  if (named !== undefined && chain !== undefined && Number(named) !== chain)
    throw new Error(`--chain is ${chain} and the collection is on ${named}; leave one of them out.`);
  const chain_id = named === undefined ? chain : Number(named);
  return { collection_address: address, ...(chain_id !== undefined && { chain_id }) };
}

function resultLines({ collection, refresh_id, tokens, failures }: Progress): string[] {
  const reasons = failures.map(
    (failure) => `failed ${failure.tokens}  token ${failure.example.token_id}  ${failure.example.reason}`,
  );
  return [...reasons, `${collection}  refresh ${refresh_id}: ${summary(tokens)}`];
}

/** Only counts above zero; a refresh of no tokens says so. */
function summary(tokens: Progress["tokens"]): string {
  const parts = [
    [tokens.updated, "updated"],
    [tokens.unchanged, "unchanged"],
    [tokens.failed, "failed"],
    [tokens.not_found, "not found"],
  ] as const;
  const named = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return named.length > 0 ? named.join(", ") : "no known tokens";
}
