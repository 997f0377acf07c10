/** `npx vitrine traits`: trait types whose display type changed. */

import type { Command } from "commander";
import type { Answer } from "./answers.ts";
import type { Tool } from "./tool.ts";

type Pending = Answer<"listPendingDisplayTypes">;

export function addTraitCommands(program: Command, { connect, print, progress }: Tool): void {
  const traits = program.command("traits").description("trait types whose display_type changed");
  traits
    .command("pending")
    .description("entries that are hidden because their trait type is known with another display_type")
    .option(
      "--collection <address>",
      "its address or slug, or chainId:address where several chains have it (default: all)",
    )
    .action(async ({ collection }: { collection?: string }) => {
      const query = collection === undefined ? "" : `?collection=${encodeURIComponent(collection)}`;
      const answer = await connect().call<Pending>("GET", `/admin/traits/pending${query}`);
      print(answer.pending, answer.pending.map(pendingLine));
      if (answer.more) progress(`these are the first ${answer.pending.length}; there are more`);
    });
  traits
    .command("approve <collection> <trait_type> <display_type>")
    .description("show the entries of that display_type immediately, and hide those of the previous one")
    .action(async (collection: string, trait_type: string, display_type: string) => {
      const approved = await connect().call<Answer<"approveDisplayType">>("POST", "/admin/traits/approve", {
        collection,
        trait_type,
        display_type,
      });
      const { previous_display_type: before } = approved;
      print(approved, [
        `${approved.collection}  ${JSON.stringify(trait_type)} is known as ${display_type} now; entries of ${before} are hidden`,
      ]);
    });
}

const pendingLine = (row: Pending["pending"][number]): string =>
  [
    row.collection,
    JSON.stringify(row.trait_type),
    `known as ${row.known_display_type}`,
    `${row.more_tokens ? "at least " : ""}${row.tokens} ${row.tokens === 1 ? "token says" : "tokens say"} ${row.wanted_display_type}`,
    `since ${row.first_seen_at}`,
  ].join("  ");
