/** The operator's overview: the service's numbers on one page. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { describe, expect, it } from "vitest";
import { sizeText } from "../../../src/api/console/operator/operator-overview.tsx";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { createVisitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const operator = createVisitor(api);
await operator.signInAsOperator();

/** The text of each tile, by its title. */
async function tiles(visitor = operator): Promise<Record<string, string>> {
  const { text } = await visitor.get("/console/operator/overview");
  return Object.fromEntries(
    [...text.matchAll(/<section class="card tile" aria-label="([^"]+)">(.*?)<\/section>/gs)].map(
      ([, title = "", body = ""]) => [
        title,
        body
          .replace(/<[^>]*>/g, " ")
          .replace(/\s+/g, " ")
          .trim(),
      ],
    ),
  );
}

describe("the operator's overview", () => {
  it("is all quiet on a new service", async () => {
    const shown = await tiles();
    expect(Object.keys(shown)).toEqual([
      "Requests",
      "Refresh queue",
      "Hosts paused",
      "Pictures rejected",
      "Index lag",
      "Storage",
    ]);
    expect(shown.Requests).toContain("Requests 0 waiting");
    expect(shown["Refresh queue"]).toContain("Refresh queue 0 tokens; the oldest has waited 0 s");
    expect(shown["Hosts paused"]).toContain("Hosts paused 0 No host is paused.");
    expect(shown["Pictures rejected"]).toContain("Pictures rejected 0 0 pictures stored");
    expect(shown.Storage).toMatch(/Storage \d+(\.\d)? MB in the database/);
  });

  it("counts what waits, what is paused and what was refused", async () => {
    const partner = createVisitor(api);
    await partner.signIn(privateKeyToAccount(generatePrivateKey()));
    const path = await partner.createApp("Studio");
    await partner.post(`${path}/permissions/ask/api`, { subject: "market" });
    await database.query(
      "insert into vitrine.host (host, failures, paused_until, reason) values ('slow.example', 9, now() + interval '1 hour', 'timeout')",
    );
    await database.query(
      `insert into vitrine.media (kind, url_hash, url, host, status, reason)
       select 'image', decode(md5(n::text), 'hex'), 'https://i.example/' || n, 'i.example', 'rejected',
              case when n < 3 then 'image_too_large: at most 1048576' when n < 6 then 'image_wrong_format'
                   else 'http_status: ' || n end
         from generate_series(1, 8) as n`,
    );
    await database.query(
      `insert into vitrine.refresh (chain_id, collection, token_id, wanted, priority, trigger, waiting_since)
       values (31337, $1, 1, 1, 30, 'api', now() - interval '20 minutes')`,
      [COLLECTION],
    );

    const fresh = createVisitor(createTestApp(test));
    await fresh.signInAsOperator();
    const shown = await tiles(fresh);
    expect(shown.Requests).toContain("Requests 1 needs attention waiting");
    expect(shown["Refresh queue"]).toMatch(
      /Refresh queue 1 needs attention tokens; the oldest has waited 1,2\d\d s/,
    );
    expect(shown["Hosts paused"]).toContain("Hosts paused 1 needs attention slow.example");
    expect(shown["Pictures rejected"]).toContain(
      "Pictures rejected 8 3 × image_wrong_format 2 × image_too_large: at most 1048576 1 × http_status: 6 and 2 more",
    );
    expect((await partner.get("/console/operator/overview")).status).toBe(404);
  });

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_500, "1.5 kB"],
    [123_456_789, "123 MB"],
    [4_000_000_000_000_000, "4000 TB"],
  ])("says %i bytes in a unit of fitting size", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});
