/** What a start requires of its PostgreSQL; ../../e2e/boot.test.ts has the sentences with which a service ends. */

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { requireDatabase } from "../../../src/api/db/require-database.ts";
import { createDatabaseOf } from "../../support/database/run-database.ts";
import { makePrivateFolder } from "../../support/folder.ts";

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

/** A role of the test's own, with its URL of the database; `client` is the database's owner. */
async function roleIn(url: string) {
  const role = `own_${randomBytes(4).toString("hex")}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(async () => {
    await client.query(`drop owned by ${role}`);
    await client.query(`drop role ${role}`);
    await client.end();
  });
  await client.query(`create role ${role} login password 'f'`);
  const own = Object.assign(new URL(url), { username: role, password: "f" }).href;
  return { client, role, own, database: new URL(url).pathname.slice(1) };
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

it("refuses a PostgreSQL that is older than 14, with both versions", async () => {
  const url = await databaseOf("UTF8");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  // Found before the server's own.
  await client.query(`
    create schema older;
    create function older.current_setting(name text) returns text language sql as
      $$ select case name when 'server_version_num' then '130014' else pg_catalog.current_setting(name) end $$`);
  const older = new URL(url);
  older.searchParams.set("options", "-c search_path=older,pg_catalog");

  await expect(requireDatabase(older.href, () => undefined)).rejects.toThrow(
    "PostgreSQL is version 13, but Vitrine needs 14 or newer; upgrade the server, or name another one in DATABASE_URL.",
  );
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
    const { client, database, role, own } = await roleIn(url);
    await client.query(`grant create on database ${database} to ${role}`);
    await client.query(limit.replace("DATABASE", database).replace("ROLE", role));
    const said: string[] = [];

    await requireDatabase(own, (line) => said.push(line));

    expect(said).toEqual(
      allowed === undefined
        ? []
        : [
            `vitrine: PostgreSQL allows role "${role}" ${allowed} connections to database "${database}", and a process may use 30; requests that find none are answered 503. Raise max_connections, or the limit of the role or database.`,
          ],
    );
  },
);

it("refuses a role that may create no temporary tables, with what allows them", async () => {
  const url = await databaseOf("UTF8");
  const { client, database, role, own } = await roleIn(url);
  await client.query(`revoke all on database ${database} from public;
    grant connect, create on database ${database} to ${role}`);

  await expect(requireDatabase(own, () => undefined)).rejects.toThrow(
    `Role "${role}" may not create temporary tables in database "${database}"; allow it with \`grant temporary on database "${database}" to "${role}"\`, or name another role in DATABASE_URL.`,
  );
  await client.query(`grant temporary on database ${database} to ${role}`);
  await requireDatabase(own, () => undefined);
});

it("counts the connections of search threads", async () => {
  const url = await databaseOf("UTF8");
  const said: string[] = [];

  await requireDatabase(url, (line) => said.push(line), 1);
  await requireDatabase(url, (line) => said.push(line), 1_000);

  expect(said).toEqual([
    expect.stringMatching(/ and a process may use 10020; .*, or lower SEARCH_THREADS\.$/),
  ]);
});

it("refuses a login that PostgreSQL refuses, which no wait ends", async () => {
  const url = Object.assign(new URL(await databaseOf("UTF8")), { username: "nobody", password: "x" }).href;

  await expect(requireDatabase(url, () => undefined)).rejects.toThrow(
    /^PostgreSQL refuses the connection \(.*"nobody".*\); correct DATABASE_URL/,
  );
});

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

// Of localhost and of itself, until 2120; used by this test alone.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgl1sYpuXHpTho5vnD
fQ2HQx6umw/nUwRU4vIMnC/sZuuhRANCAAQI6Csdedo4rxfVEVj/XWwWzPsZ1aPl
pzXYKJNx8x3laQ3r03imNqVh1eGO7fA6iYrI5PjyIF4yBw/lu+QZcISJ
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAjoKx152jivF9UR
WP9dbBbM+xnVo+WnNdgok3HzHeVpDevTeKY2pWHV4Y7t8DqJisjk+PIgXjIHD+W7
5BlwhImjTjBMMBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBT7t9e+286P+hQNf6kgGenoaP9bjjAKBggqhkjOPQQD
AgNJADBGAiEAh+xguFBoLCGr1hPuJnepvSqyY0Rs0uPFVjnkKJYoHqwCIQDcV2eK
MPoK+JZRwE8WbQeEy2UzonKn8msuPmpMmKjGdg==
-----END CERTIFICATE-----
`;

it("says how to name the authority of a certificate that nobody knows, and trusts it then", async () => {
  const folder = makePrivateFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const authority = join(folder, "ca.pem");
  writeFileSync(authority, CERTIFICATE);
  // A PostgreSQL that goes away once its certificate is trusted.
  const server = createServer((socket) =>
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, key: KEY, cert: CERTIFICATE });
      secure.on("error", () => undefined).once("data", () => socket.destroy());
    }),
  ).listen(0);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `postgresql://a:b@localhost:${(server.address() as AddressInfo).port}/c`;
  const check = (query: string) => requireDatabase(url + query, () => undefined);

  const named =
    /trusted \(self-signed certificate\); .* DATABASE_URL: (\?sslmode=verify-full&sslrootcert=)<file>\.$/;
  const refusal: Error = await check("?sslmode=require").catch((error) => error);

  expect(refusal.message).toMatch(named);
  const [, query = ""] = named.exec(refusal.message) ?? [];
  await expect(check(query + authority)).resolves.toBeUndefined();
});
