/** The limits that the docs state are those of the code. Those of retries are compared in retry-policies.test.ts. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { APPS_OF_ONE_OWNER_MAX } from "../src/api/access/apps/apps.ts";
import { LIVE_KEYS_MAX } from "../src/api/access/keys/service.ts";
import { URL_LENGTH_MAX } from "../src/api/media/checks/limits.ts";
import { LARGE_BYTES } from "../src/api/metadata/document/paced-reads.ts";
import { UNSEEN_MAX } from "../src/api/refresh/queue/unseen-queue.ts";
import { webhookLimit } from "../src/api/webhooks/module.ts";
import { WEBHOOKS_MAX } from "../src/api/webhooks/service.ts";

it.each([
  ["access.md", /up to (\S+) working keys/, LIVE_KEYS_MAX],
  ["access.md", /rotating and deleting webhooks over REST \| (\S+) per 60 s/, webhookLimit.requests],
  ["access.md", /up to (\S+) apps of one wallet/, APPS_OF_ONE_OWNER_MAX],
  ["media.md", /longer than (\S+) characters/, URL_LENGTH_MAX],
  ["refresh.md", /documents of more than (\S+) KiB/, LARGE_BYTES / 1024],
  ["refresh.md", /(\S+) pending tokens without an indexed transfer/, UNSEEN_MAX],
  ["webhooks.md", /An app has at most (\S+) webhooks/, WEBHOOKS_MAX],
])("docs/%s: %s", (page, sentence, limit) => {
  const text = readFileSync(join(import.meta.dirname, "../docs", page), "utf8");
  expect(Number(text.match(sentence)?.[1]?.replaceAll(",", ""))).toBe(limit);
});
