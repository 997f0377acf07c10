/** `npx vitrine`: the operator's tool over the running service. Results on stdout, everything else on stderr. */

import { Command, InvalidArgumentError } from "commander";
import { apiNames } from "../src/api/contract/key.ts";
import { type AdminClient, createAdminClient } from "./admin-client.ts";

interface KeyRow {
  readonly id: string;
  readonly app: string;
  readonly start: string;
  readonly apis: readonly string[];
  readonly collections: readonly string[] | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

interface HostRow {
  readonly pattern: string;
  readonly collection: string | null;
  readonly added_by: string;
  readonly added_at: string;
}

const list = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);

function parseApis(text: string): string[] {
  const apis = list(text);
  const unknown = apis.filter((api) => !(apiNames as readonly string[]).includes(api));
  if (apis.length === 0 || unknown.length > 0) {
    throw new InvalidArgumentError(`must name some of ${apiNames.join(", ")}, separated by commas.`);
  }
  return apis;
}

const program = new Command("vitrine")
  .description("Operates a running Vitrine service, found by BASE_URL and VITRINE_OPERATOR_TOKEN.")
  .option("--json", "print results as JSON")
  .configureOutput({ writeOut: (text) => process.stderr.write(text) })
  .showHelpAfterError();

const connect = (): AdminClient => createAdminClient(process.env);

/** Prints the result: JSON for programs, lines for people. */
function print(result: unknown, lines: readonly string[]): void {
  const { json } = program.opts<{ json?: boolean }>();
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : lines.map((line) => `${line}\n`).join(""));
}

const keys = program.command("keys").description("API keys");
keys
  .command("create")
  .description("make a key for an app and print it, once")
  .requiredOption("--app <name>", "the app's name; an app of that name gets the permissions too")
  .requiredOption("--api <names>", `${apiNames.join(",")} or some of them`, parseApis)
  .option("--collections <all|list>", "all, or chainId:address separated by commas", "all")
  .action(async (options: { app: string; api: string[]; collections: string }) => {
    const collections = options.collections === "all" ? "all" : list(options.collections);
    const body = { app: options.app, apis: options.api, collections };
    const created = await connect().call<{ id: string; key: string }>("POST", "/admin/keys", body);
    print(created, [created.key]);
  });
keys
  .command("list")
  .description("all keys, by their first characters")
  .action(async () => {
    const { keys: rows } = await connect().call<{ keys: KeyRow[] }>("GET", "/admin/keys");
    print(
      rows,
      rows.map((row) =>
        [
          row.id,
          `${row.start}…`,
          row.app,
          row.apis.join(","),
          row.collections?.join(",") ?? "all",
          row.revoked_at ? `revoked ${row.revoked_at}` : "active",
        ].join("  "),
      ),
    );
  });
keys
  .command("revoke <id>")
  .description("revoke a key; replicas refuse it within 5 seconds")
  .action(async (id: string) => {
    const answer = await connect().call("DELETE", `/admin/keys/${encodeURIComponent(id)}`);
    print(answer, [`revoked ${id}`]);
  });

const allowlist = program
  .command("allowlist")
  .description("hosts that video and animation_url may be shown from");
const hostLines = (hosts: readonly HostRow[]): string[] =>
  hosts.map((host) => [host.pattern, host.collection ?? "all", host.added_by, host.added_at].join("  "));

for (const [name, method, description] of [
  ["add <pattern>", "POST", "allow host, host:port or *.host"],
  ["remove <pattern>", "DELETE", "take a host off the list"],
] as const) {
  allowlist
    .command(name)
    .description(description)
    .option("--collection <chainId:address>", "for one collection only")
    .action(async (pattern: string, options: { collection?: string }) => {
      const body = { pattern, collection: options.collection ?? null };
      const { hosts } = await connect().call<{ hosts: HostRow[] }>(method, "/admin/allowlist", body);
      print(hosts, hostLines(hosts));
    });
}
allowlist
  .command("list")
  .description("the list as it is now")
  .action(async () => {
    const { hosts } = await connect().call<{ hosts: HostRow[] }>("GET", "/admin/allowlist");
    print(hosts, hostLines(hosts));
  });

program.parseAsync().catch((error: Error) => {
  process.stderr.write(`vitrine: ${error.message}\n`);
  process.exitCode = 1;
});
