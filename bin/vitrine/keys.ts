/** `npx vitrine keys`: API keys of a running service. */

import { type Command, InvalidArgumentError } from "commander";
import { apiNames } from "../../src/api/http/api-names.ts";
import type { AdminClient } from "../admin-client.ts";
import type { Answer } from "./answers.ts";
import { list, notEmpty, type Tool, wholeNumber } from "./tool.ts";

const GRACE_HOURS_MAX = 720;

type KeyRow = Answer<"listKeys">["keys"][number];

function parseApis(text: string): string[] {
  const apis = list(text);
  const unknown = apis.filter((api) => !(apiNames as readonly string[]).includes(api));
  if (apis.length === 0 || unknown.length > 0) {
    throw new InvalidArgumentError(`must name some of ${apiNames.join(", ")}, separated by commas.`);
  }
  return apis;
}

function stateOf({ revoked_at, expires_at }: KeyRow): string {
  if (revoked_at) return `revoked ${revoked_at}`;
  if (!expires_at) return "active";
  return `${Date.parse(expires_at) > Date.now() ? "ends" : "ended"} ${expires_at}`;
}

/** The keys of all pages. */
async function readKeys(service: AdminClient): Promise<KeyRow[]> {
  const rows: KeyRow[] = [];
  for (let path = "/admin/keys"; ; ) {
    const page = await service.call<Answer<"listKeys">>("GET", path);
    rows.push(...page.keys);
    if (!page.next_cursor) return rows;
    path = `/admin/keys?${new URLSearchParams({ cursor: page.next_cursor })}`;
  }
}

/** Of a key that works, and that nobody has. */
const unseen = (id: string): string =>
  `key ${id} was created, and couldn't be printed; revoke it (npx vitrine keys revoke ${id}), or replace it (npx vitrine keys rotate ${id} --grace 0).`;

export function addKeyCommands(program: Command, { connect, print }: Tool): void {
  const keys = program.command("keys").description("API keys");
  keys
    .command("create")
    .description("create a key for an app and print it, once")
    .requiredOption("--app <name>", "the app's name; an app of that name gets the permissions too")
    .requiredOption("--api <names>", `${apiNames.join(",")} or some of them`, parseApis)
    .option(
      "--collections <all|list>",
      "all, or addresses, slugs or chainId:address, separated by commas",
      "all",
    )
    .action(async (options: { app: string; api: string[]; collections: string }) => {
      const collections = options.collections === "all" ? "all" : list(options.collections);
      const body = { app: options.app, apis: options.api, collections };
      const created = await connect().call<Answer<"createKey">>("POST", "/admin/keys", body);
      print(created, [created.key], unseen(created.id));
    });
  keys
    .command("list")
    .description("all keys, with their first characters")
    .action(async () => {
      const rows = await readKeys(connect());
      print(
        rows,
        rows.map((row) =>
          [
            row.id,
            `${row.start}…`,
            row.app,
            row.apis.join(","),
            row.collections?.join(",") ?? "all",
            row.tier,
            stateOf(row),
          ].join("  "),
        ),
      );
    });
  keys
    .command("rotate")
    .argument("<id>", "", notEmpty)
    .description(
      "create another key for the same app and print it, once; the old one keeps working for a while",
    )
    .option("--grace <hours>", "how long the old key keeps working", wholeNumber(0, GRACE_HOURS_MAX), 24)
    .action(async (id: string, { grace }: { grace: number }) => {
      const path = `/admin/keys/${encodeURIComponent(id)}/rotate`;
      const made = await connect().call<Answer<"rotateKey">>("POST", path, {
        grace_seconds: grace * 3_600,
      });
      print(made, [made.key], unseen(made.id));
    });
  keys
    .command("revoke")
    .argument("<id>", "", notEmpty)
    .description("revoke a key; replicas refuse it at once, or within 2 seconds if the notice is lost")
    .action(async (id: string) => {
      const answer = await connect().call("DELETE", `/admin/keys/${encodeURIComponent(id)}`);
      print(answer, [`revoked ${id}`]);
    });
}
