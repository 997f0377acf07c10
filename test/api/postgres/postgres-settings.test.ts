import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { firstSettings } from "../../../src/api/postgres/postgres-settings.ts";
import { usableMemory } from "../../../src/api/usable-memory.ts";

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const [BUFFERS, WAL] = ["shared_buffers", "max_wal_size"];

describe("the embedded PostgreSQL's first settings", () => {
  it.each([
    [GIB / 2, "128MB"],
    [GIB, "128MB"],
    [GIB + 8 * MIB, "129MB"],
    [4 * GIB, "512MB"],
    [8 * GIB - 1, "1023MB"],
    [8 * GIB, "1024MB"],
    [8 * GIB + 8 * MIB, "1024MB"],
    [64 * GIB, "1024MB"],
  ])("are buffers for %d bytes of memory: %s", (memory, buffers) => {
    expect(firstSettings(memory, 64 * GIB)).toEqual([`${BUFFERS}=${buffers}`, `${WAL}=4GB`]);
  });

  it.each([
    [undefined, "1GB"],
    [0, "1GB"],
    [16 * GIB - 1, "1GB"],
    [16 * GIB, "2GB"],
    [32 * GIB - 1, "3GB"],
    [32 * GIB, "4GB"],
    [1024 * GIB, "4GB"],
  ])("are WAL for %d free bytes of the disk: %s", (disk, wal) => {
    expect(firstSettings(GIB, disk)).toEqual([`${BUFFERS}=128MB`, `${WAL}=${wal}`]);
  });

  it("are in a new cluster's file, where an operator can change them", async () => {
    const client = new pg.Client({ connectionString: inject("postgresUrl") });
    await client.connect();
    // The run's own settings are in another file, which comes after it.
    const { rows } = await client.query<{ setting: string }>(
      `select name || '=' || setting as setting from pg_file_settings
        where name in ('shared_buffers', 'max_wal_size') and sourcefile like '%/postgresql.conf' order by 1 desc`,
    );
    await client.end();
    const [buffers] = firstSettings(usableMemory());
    expect(rows.map(({ setting }) => setting)).toEqual([buffers, expect.stringMatching(/^\w+=[1-4]GB$/)]);
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
