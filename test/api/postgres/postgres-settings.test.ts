import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { firstSettings, usableMemory } from "../../../src/api/postgres/postgres-settings.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

describe("the embedded PostgreSQL's buffers", () => {
  it.each([
    [GIB / 2, "128MB"],
    [GIB, "128MB"],
    [GIB + 8 * MIB, "129MB"],
    [4 * GIB, "512MB"],
    [8 * GIB - 1, "1023MB"],
    [8 * GIB, "1024MB"],
    [8 * GIB + 8 * MIB, "1024MB"],
    [64 * GIB, "1024MB"],
  ])("of %d bytes of memory are %s", (memory, buffers) => {
    expect(firstSettings(memory)).toContain(`shared_buffers=${buffers}`);
  });

  it("are in a new cluster's file, where an operator can change them", async () => {
    const client = new pg.Client({ connectionString: inject("postgresUrl") });
    await client.connect();
    const { rows } = await client.query(
      "select source, current_setting(name) as value from pg_settings where name = 'shared_buffers'",
    );
    await client.end();
    const [buffers] = firstSettings(usableMemory());
    const megabytes = Number(/\d+/.exec(buffers ?? "")?.[0]);
    expect(rows).toEqual([
      { source: "configuration file", value: megabytes === 1024 ? "1GB" : `${megabytes}MB` },
    ]);
  });
});

it.each([
  ["no limit is known", 0, 4 * GIB],
  ["a limit is below the machine's memory", 4 * GIB - 1, 4 * GIB - 1],
  ["a limit is the machine's memory", 4 * GIB, 4 * GIB],
  ["there is none, which Node says with a number above it", 2 ** 64, 4 * GIB],
])("where %s, that much can be used", (_, limit, usable) => {
  expect(usableMemory(4 * GIB, limit)).toBe(usable);
});
