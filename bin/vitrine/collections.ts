/** `npx vitrine collections`: the collections file. */

import { type Command, InvalidArgumentError } from "commander";
import type { Standard } from "../../src/config.ts";
import { faultOfSlug } from "../../src/domain/slug.ts";
import type { AddOptions } from "./add-collection.ts";
import { type Tool, wholeNumber } from "./tool.ts";

const slugOf = (text: string): string => {
  const fault = faultOfSlug(text);
  if (fault !== undefined) throw new InvalidArgumentError(`${fault}.`);
  return text;
};
const standardOf = (text: string): Standard => {
  if (text === "erc721" || text === "erc1155") return text;
  throw new InvalidArgumentError("must be erc721 or erc1155.");
};

export function addCollectionCommands(program: Command, tool: Tool): void {
  const collections = program.command("collections").description("the collections file");
  collections
    .command("add <address>")
    .description("read a contract and add it to the collections file")
    .option("--chain <id>", "the chain (default: the only configured one)", wholeNumber(1))
    .option("--rpc <url>", "the endpoint to ask (default: the first of PONDER_RPC_URL_<chain>)")
    .option("--slug <slug>", "a short name", slugOf)
    .option("--name <name>", "a display name (default: the contract's)")
    .option(
      "--standard <standard>",
      "erc721 or erc1155, for a contract that doesn't say (ERC-165)",
      standardOf,
    )
    .option("--start-block <block>", "the deployment block, instead of a search", wholeNumber(0))
    .option("--dry-run", "change nothing")
    .option("--yes", "don't ask")
    .addHelpText(
      "after",
      "\nExit code: 0 when the file lists the collection or --dry-run ended, 2 when you said no, 1 on an error.",
    )
    .action(async (address: string, options: AddOptions) => {
      // Loaded for this command alone: a client of a chain takes longer to load than the others take to answer.
      const { addCollection } = await import("./add-collection.ts");
      await addCollection(tool, address, options);
    });
}
