import { expect, it } from "vitest";
import { addAudit, readAudit } from "../../../src/api/access/audit.ts";
import { createTestDatabase } from "../../support/database/database.ts";

const { database } = await createTestDatabase();

it("the audit log is read newest first and page by page, by number however many digits ids have", async () => {
  for (let nth = 1; nth <= 12; nth++)
    await addAudit(database, "operator", "keys.create", `key ${nth}`, { nth });

  const first = await readAudit(database, 5);
  const second = await readAudit(database, 100, String(first.at(-1)?.id));

  expect([...first, ...second].map(({ subject, detail }) => [subject, detail.nth])).toEqual(
    Array.from({ length: 12 }, (_, index) => [`key ${12 - index}`, 12 - index]),
  );
});
