/** The limits that the docs state are those of the code. Those of retries are compared in retry-policies.test.ts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { APPS_OF_ONE_OWNER_MAX } from "../src/api/access/apps/apps.ts";
import { LIVE_KEYS_MAX } from "../src/api/access/keys/service.ts";
import { TEXT_CHARACTERS_MAX } from "../src/api/catalog/tokens/token-filter.ts";
import { CONDITION_WEIGHT, conditions, leafWeights, weights } from "../src/api/graphql/gateway/cost.ts";
import { errorTable } from "../src/api/http/errors.ts";
import { LIMIT_MAX } from "../src/api/http/fields.ts";
import { OPERATOR_TOKEN_LENGTH_MIN } from "../src/api/local-secrets.ts";
import { URL_LENGTH_MAX } from "../src/api/media/checks/limits.ts";
import { LARGE_BYTES } from "../src/api/metadata/document/paced-reads.ts";
import { DOCUMENT_BYTES_MAX, DOCUMENT_TIMEOUT_MS, URI_LENGTH_MAX } from "../src/api/metadata/uri/resolve.ts";
import { UNSEEN_MAX } from "../src/api/refresh/queue/unseen-queue.ts";
import { webhookLimit } from "../src/api/webhooks/module.ts";
import { COLLECTIONS_MAX, DESCRIPTION_MAX, URL_CHARACTERS_MAX } from "../src/api/webhooks/schemas.ts";
import { WEBHOOKS_MAX } from "../src/api/webhooks/service.ts";

const readPage = (page: string): string => readFileSync(join(import.meta.dirname, "../docs", page), "utf8");

it.each([
  ["access.md", /up to (\S+) working keys/, LIVE_KEYS_MAX],
  ["access.md", /rotating and deleting webhooks over REST \| (\S+) per 60 s/, webhookLimit.requests],
  ["access.md", /up to (\S+) apps of one wallet/, APPS_OF_ONE_OWNER_MAX],
  ["access.md", /a token of at least (\S+) characters/, OPERATOR_TOKEN_LENGTH_MIN],
  ["api.md", /\| `q` \|.* Up to (\S+) characters/, TEXT_CHARACTERS_MAX],
  ["api.md", /`q` has 1 to (\S+) characters/, TEXT_CHARACTERS_MAX],
  ["api.md", /`prefix` has up to (\S+) characters/, TEXT_CHARACTERS_MAX],
  ["api.md", /\| `limit` \|.* 1 to (\S+);/, LIMIT_MAX],
  ["media.md", /longer than (\S+) characters/, URL_LENGTH_MAX],
  ["refresh.md", /documents of more than (\S+) KiB/, LARGE_BYTES / 1024],
  ["refresh.md", /\| The document.* \| ([\d,]+) bytes/, DOCUMENT_BYTES_MAX],
  ["refresh.md", /\| The URI.* \| ([\d,]+) characters/, URI_LENGTH_MAX],
  ["refresh.md", /\| The fetch.* \| ([\d,]+) s /, DOCUMENT_TIMEOUT_MS / 1_000],
  ["refresh.md", /(\S+) pending tokens without an indexed transfer/, UNSEEN_MAX],
  ["webhooks.md", /An app has at most (\S+) webhooks/, WEBHOOKS_MAX],
  ["webhooks.md", /A URL has at most (\S+) characters/, URL_CHARACTERS_MAX],
  ["webhooks.md", /a description at most (\S+) characters/, DESCRIPTION_MAX],
  ["webhooks.md", /names at most (\S+) collections/, COLLECTIONS_MAX],
])("docs/%s: %s", (page, sentence, limit) => {
  expect(Number(readPage(page).match(sentence)?.[1]?.replaceAll(",", ""))).toBe(limit);
});

it("docs/api.md has every error code, with its status", () => {
  const [, table = ""] = /^\| Code \| Status \| .+?$(.+?)\n\n/ms.exec(readPage("api.md")) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| (\d+)/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ]);
  expect(rows).toEqual(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
});

it("docs/api.md has what each type, field and condition of GraphQL costs", () => {
  const [, table = ""] = /^\| Part \| Cost \|$(.+?)\n\n/ms.exec(readPage("api.md")) ?? [];
  const rows = [...table.matchAll(/^\| (.+) \| ([\d,]+) \|$/gm)].map(([, part = "", cost = ""]) => ({
    names: [...part.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    part,
    cost: Number(cost.replace(",", "")),
  }));
  const types = rows.flatMap(({ names, cost }) =>
    names.filter((name) => name in weights).map((name) => [name, cost] as const),
  );
  expect(types.length).toBe(Object.keys(weights).length);
  expect(Object.fromEntries(types)).toEqual(weights);

  const condition = rows.find(({ part }) => part.startsWith("a condition"));
  expect(condition?.cost).toBe(CONDITION_WEIGHT);
  expect(new Set(condition?.names.filter((name) => name !== "traitValues"))).toEqual(conditions);

  const { "Erc1155.totalOwners": owners, "Erc1155.balance": balance } = leafWeights;
  expect(table).toContain(`| \`totalOwners\`, \`balance\` of an \`Erc1155\` | ${owners}, ${balance} |`);
  expect(Object.keys(leafWeights)).toHaveLength(2);
});
