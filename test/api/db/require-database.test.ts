/** What a start requires of its PostgreSQL; ../../e2e/boot.test.ts has the sentences with which a service ends. */

import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { requireDatabase } from "../../../src/api/db/require-database.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";

async function databaseOf(encoding: string): Promise<string> {
  const { url: server, drop } = await createDatabaseOf();
  onTestFinished(drop);
  const name = `of_${encoding.toLowerCase()}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  });
  await client.query(
    `create database ${name} template template0 encoding '${encoding}' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
  );
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

it.each([
  ["UTF8", undefined, undefined],
  [
    "SQL_ASCII",
    undefined,
    /of_sql_ascii" has the encoding SQL_ASCII, .* text search doesn't work; create one with /,
  ],
  ["LATIN1", /of_latin1" has the encoding LATIN1, and Vitrine needs UTF8; create one with /, undefined],
] as const)("%s is taken, warned of or refused", async (encoding, refusal, warning) => {
  const said: string[] = [];

  const checked = requireDatabase(await databaseOf(encoding), (line) => said.push(line));

  await (refusal ? expect(checked).rejects.toThrow(refusal) : expect(checked).resolves.toBeUndefined());
  expect(said).toEqual(warning ? [expect.stringMatching(warning)] : []);
});

it.each([
  ["a database", "alter database DATABASE connection limit 29", 29],
  ["a database", "alter database DATABASE connection limit 30", undefined],
  ["a role", "alter role ROLE connection limit 12", 12],
  ["a role", "alter role ROLE connection limit 30", undefined],
])(
  "names the connections of %s that allows fewer than a process uses: %s",
  async (_whose, limit, allowed) => {
    const url = await databaseOf("UTF8");
    const database = new URL(url).pathname.slice(1);
    const role = `few_${randomBytes(4).toString("hex")}`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => {
      await client.query(`drop owned by ${role}`);
      await client.query(`drop role ${role}`);
      await client.end();
    });
    await client.query(`create role ${role} login password 'f'`);
    await client.query(`grant create on database ${database} to ${role}`);
    await client.query(limit.replace("DATABASE", database).replace("ROLE", role));
    const said: string[] = [];

    await requireDatabase(Object.assign(new URL(url), { username: role, password: "f" }).href, (line) =>
      said.push(line),
    );

    expect(said).toEqual(
      allowed === undefined
        ? []
        : [
            `vitrine: PostgreSQL allows role "${role}" ${allowed} connections to database "${database}", and a process may use 30; requests that find none are answered 503. Raise max_connections, or the limit of the role or database.`,
          ],
    );
  },
);

it("is content where nobody answers yet, since a start waits for that: a port without a listener, one that is silent, and no socket", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((done) => silent.once("listening", done));
  const { port } = silent.address() as { port: number };
  const check = (of: number) => requireDatabase(`postgresql://a:b@127.0.0.1:${of}/c`, () => undefined);

  const socket = requireDatabase("postgresql://a:b@/c?host=/nowhere", () => undefined);

  expect(await Promise.all([check(1), check(port), socket])).toEqual([undefined, undefined, undefined]);
});

it("says which file of a certificate can't be read, and repeats nothing of a URL that is none", async () => {
  const check = (url: string) => requireDatabase(url, () => undefined);

  await expect(
    check("postgresql://a:b@127.0.0.1:1/c?sslmode=verify-full&sslrootcert=/nowhere.pem"),
  ).rejects.toThrow("DATABASE_URL names /nowhere.pem, which can't be read (ENOENT).");
  await expect(check("postgresql://a:hun#ter2@127.0.0.1:1/c")).rejects.toThrow(
    /^DATABASE_URL must be [^#]*$/,
  );
});
