/** `npx vitrine check`: tries a document, a URI or a token as a refresh does, in this process alone. */

import { type Command, InvalidArgumentError } from "commander";
import { parseHostPattern } from "../../src/api/media/display/host-pattern.ts";
import { parseTokenId } from "../../src/domain/token-ref.ts";
import { loadEnvironment } from "../environment.ts";
import type { CheckOptions } from "./check-target.ts";
import type { Tool } from "./tool.ts";

const NOT_VALID_EXIT_CODE = 2;

const collect =
  (parse: (text: string) => string | undefined, problem: string) =>
  (text: string, before: readonly string[] = []): readonly string[] => {
    const parsed = parse(text);
    if (parsed === undefined) throw new InvalidArgumentError(problem);
    return [...before, parsed];
  };

function parseId(text: string): string {
  if (parseTokenId(text) === undefined)
    throw new InvalidArgumentError("must be a decimal number from 0 to 2^256-1, without leading zeros.");
  return text;
}

const parsePrivateHost = (text: string): string | undefined =>
  /^[^/\s,]+:[0-9]+$/.test(text) ? text.toLowerCase() : undefined;

export function addCheckCommand(program: Command, tool: Tool): void {
  program
    .command("check <target>")
    .description(
      "check a token's metadata before a marketplace reads it; needs no service and stores nothing",
    )
    .summary("check a token's metadata; needs no service")
    .option("--token-id <id>", "replaces {id} in a URI and its document, as in ERC-1155", parseId)
    .option(
      "--allow-private <host:port>",
      "a host that may be on a private address, besides ALLOW_PRIVATE_HOSTS; repeatable",
      collect(parsePrivateHost, "must be host:port."),
    )
    .option(
      "--allow-host <pattern>",
      "treat host, host:port or *.host as allowed in animation_url and video; repeatable",
      collect(parseHostPattern, "must be host, host:port or *.host."),
    )
    .addHelpText(
      "after",
      `
<target> is one of
  a URI                          https://meta.example/7, ipfs://<CID>/7
  chainId:address:tokenId        read from the contract, at PONDER_RPC_URL_<chainId>
  a path, or - for stdin         the JSON document itself

Exit code: 0 when it is valid, ${NOT_VALID_EXIT_CODE} when it has an error or could not be fetched, 1 when the check could not run.`,
    )
    .action(async (target: string, options: CheckOptions) => {
      loadEnvironment();
      // Loaded for this command alone: other commands would take three times as long to start.
      const [{ checkTarget }, { reportLines }] = await Promise.all([
        import("./check-target.ts"),
        import("./report-lines.ts"),
      ]);
      const report = await checkTarget(target, options, process.env, process.stdin);
      tool.print(report, reportLines(report));
      if (!report.valid) process.exitCode = NOT_VALID_EXIT_CODE;
    });
}
