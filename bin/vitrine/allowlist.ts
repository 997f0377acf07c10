/** `npx vitrine allowlist`: hosts allowed for video and animation_url. */

import type { Command } from "commander";
import type { Answer } from "./answers.ts";
import type { Tool } from "./tool.ts";

type Hosts = Answer<"listAllowedHosts">;

const hostLines = (hosts: Hosts["hosts"]): string[] =>
  hosts.map((host) => [host.pattern, host.collection ?? "all", host.added_by, host.added_at].join("  "));

export function addAllowlistCommands(program: Command, { connect, print }: Tool): void {
  const allowlist = program
    .command("allowlist")
    .description("hosts that video and animation_url may be shown from");
  for (const [name, method, description] of [
    ["add <pattern>", "POST", "allow host, host:port or *.host; without a port: 80 and 443"],
    ["remove <pattern>", "DELETE", "remove a host from the list"],
  ] as const) {
    allowlist
      .command(name)
      .description(description)
      .option("--collection <address>", "for one collection only: its address or slug, or chainId:address")
      .action(async (pattern: string, options: { collection?: string }) => {
        const body = { pattern, collection: options.collection ?? null };
        const { hosts } = await connect().call<Hosts>(method, "/admin/allowlist", body);
        print(hosts, hostLines(hosts));
      });
  }
  allowlist
    .command("list")
    .description("the current list")
    .action(async () => {
      const { hosts } = await connect().call<Hosts>("GET", "/admin/allowlist");
      print(hosts, hostLines(hosts));
    });
}
