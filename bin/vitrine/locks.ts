/** `npx vitrine locks`: compares the chain index's locks with the contracts' own. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { type AdminClient, AdminError } from "../admin-client.ts";
import type { Answer } from "./answers.ts";
import { type Tool, wholeNumber } from "./tool.ts";

type Page = Answer<"reconcileLocks">;
type Drift = Page["drift"][number];

/** The sum of a collection's pages. */
type Report = Pick<Page, "collection" | "offers" | "compared_with" | "checked" | "unreadable" | "drift">;

const DRIFT_EXIT_CODE = 2;
const PAGE_TOKENS_MAX = 500;
const TRIES_MAX = 3;
const RETRY_MS = 2_000;
// A page takes many batches of a node, which may be slow. fetch itself waits 300 seconds for an answer.
const PAGE_TIMEOUT_MS = 290_000;

export function addLockCommands(program: Command, tool: Tool): void {
  const locks = program.command("locks").description("locks of tokens");
  locks
    .command("reconcile")
    .description("compare the index's locks with the view functions of the contracts; changes nothing")
    .option(
      "--collection <address>",
      "all, its address or slug, or chainId:address where several chains have it",
      "all",
    )
    .option(
      "--page-size <tokens>",
      "tokens per request; less for an endpoint with small batches",
      wholeNumber(1, PAGE_TOKENS_MAX),
    )
    .addHelpText(
      "after",
      `\nExit code: 0 when all locks agree, ${DRIFT_EXIT_CODE} when some differ, 1 when it couldn't be determined.`,
    )
    .action(async (options: { collection: string; pageSize?: number }) => {
      const { reports, failure } = await reconcile(tool, options);
      tool.print({ collections: reports }, reports.flatMap(reportLines));
      if (failure) throw failure;
      const unread = reports.reduce((sum, { unreadable }) => sum + unreadable, 0);
      if (reports.some(({ drift }) => drift.length > 0)) process.exitCode = DRIFT_EXIT_CODE;
      else if (unread > 0)
        throw new Error(`${unread} tokens could not be compared: their contract or its node gave no answer`);
    });
}

/** The reports of the collections, as far as they came before a failure. */
async function reconcile(
  { connect, progress }: Tool,
  { collection: named, pageSize }: { readonly collection: string; readonly pageSize?: number },
): Promise<{ readonly reports: readonly Report[]; readonly failure?: Error }> {
  const client = connect();
  const reports: Report[] = [];
  let collection = named === "all" ? undefined : named;
  let after: string | null = null;
  for (;;) {
    const body: Record<string, unknown> = {
      collection,
      after_token_id: after,
      limit: pageSize ?? PAGE_TOKENS_MAX,
    };
    const page: Page | Error = await readPage(client, body, progress).catch((cause: Error) => cause);
    if (page instanceof Error) {
      if (reports.length === 0) throw page;
      const place = after === null ? collection : `${collection}, after token ${after}`;
      return {
        reports,
        failure: new Error(`not compared: ${place} and what follows: ${page.message}`, { cause: page }),
      };
    }
    const report = addPage(after === null ? undefined : reports.pop(), page);
    reports.push(report);
    progress(`${page.collection}: ${report.checked} tokens compared, ${report.drift.length} differ`);
    after = page.next_after;
    collection = after === null ? (page.next_collection ?? undefined) : page.collection;
    if (after === null && (named !== "all" || page.next_collection === null)) return { reports };
  }
}

const addPage = (
  report: Report | undefined,
  { collection, offers, compared_with, checked, unreadable, drift }: Page,
): Report => ({
  collection,
  offers,
  compared_with,
  checked: (report?.checked ?? 0) + checked,
  unreadable: (report?.unreadable ?? 0) + unreadable,
  drift: [...(report?.drift ?? []), ...drift],
});

/** Retries: a briefly unreachable node must not discard the pages before. */
async function readPage(client: AdminClient, body: unknown, progress: Tool["progress"]): Promise<Page> {
  for (let tries = 1; ; tries++) {
    try {
      return await client.call<Page>("POST", "/admin/locks/reconcile", body, { timeoutMs: PAGE_TIMEOUT_MS });
    } catch (error) {
      if (!(error instanceof AdminError) || error.status !== 503 || tries === TRIES_MAX) throw error;
      progress(`${error.message}; trying again`);
      await sleep(RETRY_MS);
    }
  }
}

function reportLines({ collection, compared_with, checked, unreadable, drift }: Report): string[] {
  const lines = drift.map(({ token_id, standard, indexed, on_chain, likely_cause, explanation }) =>
    [
      collection,
      `token ${token_id} (${standard})`,
      `index ${state(indexed)}, contract ${state(on_chain)}`,
      `${likely_cause}: ${explanation}`,
    ].join("  "),
  );
  const without = unreadable === 0 ? "" : `, ${unreadable} without an answer`;
  const agree = unreadable === 0 ? "all agree" : checked === 0 ? "not determined" : "all others agree";
  const result = drift.length === 0 ? agree : `${drift.length} differ`;
  const summary =
    compared_with.length === 0
      ? "offers no view function of a lock standard (lockCount, isUnlocked, locked, getLocked, lockerOf): nothing to compare with"
      : `${checked} tokens compared with ${compared_with.map((each) => each.function).join(" and ")}${without}: ${result}`;
  return [...lines, `${collection}  ${summary}`];
}

const state = ({ lock_count, locked }: Drift["on_chain"]): string =>
  lock_count ?? (locked ? "locked" : "unlocked");
