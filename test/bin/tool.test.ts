import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runVitrine } from "../support/processes/command.ts";
import { startLocalServer } from "../support/servers/local-server.ts";

/** Runs `npx vitrine` in a folder, with none of the service's environment except what is passed. */
async function vitrine(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const { stdout: out, stderr: err, code } = await runVitrine(args, { cwd, env });
  return { out, err, code };
}

/** An admin API that lists no keys to a client with its token. */
async function startAdmin(token: string) {
  const admin = await startLocalServer(({ headers }, response) => {
    const isAllowed = headers.authorization === `Bearer ${token}`;
    response.writeHead(isAllowed ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(isAllowed ? { keys: [] } : { message: "Unauthorized" }));
  });
  onTestFinished(() => admin.close());
  return admin;
}

it("commands find the service by .env.local, then .env, and the environment wins over both", async () => {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-tool-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [named, other] = [await startAdmin("of-the-file"), await startAdmin("of-the-shell")];
  writeFileSync(join(folder, ".env.local"), `PORT=${named.port}\n`);
  writeFileSync(join(folder, ".env"), "PORT=1\nVITRINE_OPERATOR_TOKEN=of-the-file\n");
  const keys = ["--json", "keys", "list"];

  expect(await vitrine(folder, keys)).toEqual({ out: "[]\n", err: "", code: 0 });
  const shell = { PORT: String(other.port), VITRINE_OPERATOR_TOKEN: "of-the-shell" };
  expect(await vitrine(folder, keys, shell)).toEqual({ out: "[]\n", err: "", code: 0 });

  // The client of an earlier test may still look for a node of its own at a port that was free again.
  const asked = [named, other].map(({ requests }) =>
    requests.flatMap(({ url }) => (url === "/" ? [] : [url])),
  );
  expect(asked).toEqual([["/admin/keys"], ["/admin/keys"]]);
});

it.each(["vitrine.example", "localhost:42069"])(
  "a command says that BASE_URL must be a URL where it is %s",
  async (baseUrl) => {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-tool-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));

    const { err, code } = await vitrine(folder, ["keys", "list"], { BASE_URL: baseUrl });

    expect({ err, code }).toEqual({
      err: `vitrine: BASE_URL must be an http(s) URL; it is "${baseUrl}".\n`,
      code: 1,
    });
  },
);

it.each(["http://ops:hunter2@localhost:42069", "http://localhost:42069?x=1", "http://localhost:42069/#a"])(
  "a command refuses a BASE_URL that no path can follow, and repeats no password: %s",
  async (baseUrl) => {
    const { err, code } = await vitrine(tmpdir(), ["keys", "list"], { BASE_URL: baseUrl });

    expect({ err, code }).toEqual({
      err: "vitrine: BASE_URL must not contain a user, password, query or fragment: paths are added to it.\n",
      code: 1,
    });
  },
);

it("a token that no header can carry is named as what is wrong", async () => {
  const admin = await startAdmin("any");

  const env = { PORT: String(admin.port), VITRINE_OPERATOR_TOKEN: "twenty characters: €€" };
  const { err, code } = await vitrine(tmpdir(), ["keys", "list"], env);

  expect({ err, code }).toEqual({
    err: "vitrine: VITRINE_OPERATOR_TOKEN has a character that no HTTP header can carry.\n",
    code: 1,
  });
});

it.each(["\n", "\r\n", " "])(
  "a token with %j after it, as in a file, is the one that a service takes",
  async (end) => {
    const token = "of-a-service-of-16";
    const admin = await startAdmin(token);

    const env = { PORT: String(admin.port), VITRINE_OPERATOR_TOKEN: ` ${token}${end}` };

    expect(await vitrine(tmpdir(), ["--json", "keys", "list"], env)).toEqual({
      out: "[]\n",
      err: "",
      code: 0,
    });
  },
);

describe("without VITRINE_OPERATOR_TOKEN", () => {
  function makeDataFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "vitrine-tool-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return folder;
  }

  it("a command creates no token in the folder of a service that has none, and says what is missing", async () => {
    const admin = await startAdmin("of-the-service");
    const data = makeDataFolder();

    const env = { PORT: String(admin.port), VITRINE_DATA: data };
    const { err, code } = await vitrine(tmpdir(), ["keys", "list"], env);

    expect({ err, code }).toEqual({
      err: "vitrine: VITRINE_OPERATOR_TOKEN is not set; set it to the token that the service was started with.\n",
      code: 1,
    });
    expect(readdirSync(data)).toEqual([]);
  });

  it("a command uses the token of that folder, and names the file when the service refuses it", async () => {
    const token = "of-the-folder-of-this-machine";
    const data = makeDataFolder();
    writeFileSync(join(data, "operator-token"), token);
    const [own, other] = [await startAdmin(token), await startAdmin("another")];
    const list = ({ port }: { readonly port: number }) =>
      vitrine(tmpdir(), ["--json", "keys", "list"], { PORT: String(port), VITRINE_DATA: data });

    expect(await list(own)).toEqual({ out: "[]\n", err: "", code: 0 });
    expect(await list(other)).toEqual({
      out: "",
      err: `vitrine: the service refused the token in ${data}/operator-token; set VITRINE_OPERATOR_TOKEN to the one it was started with.\n`,
      code: 1,
    });
  });
});

it("what a service refuses with reaches the terminal without its control characters", async () => {
  const admin = await startLocalServer((_request, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: "\u001b[2J\u001b]0;title\u0007" }));
  });
  onTestFinished(() => admin.close());

  const env = { PORT: String(admin.port), VITRINE_OPERATOR_TOKEN: "x" };
  const { err } = await vitrine(tmpdir(), ["keys", "list"], env);

  expect(err).toBe("vitrine: \\u001b[2J\\u001b]0;title\\u0007\n");
});

it("what a document or a contract says reaches the terminal without its control characters", async () => {
  const reason = `invalid_json: Unexpected token '\u001b', "\u001b[2J\u202e{}" is not valid JSON`;
  const progress = {
    refresh_id: "1",
    collection: "1:0x5fbdb2315678afecb367f032d93f642f64180aa3",
    created_at: "2026-01-01T00:00:00.000Z",
    done: true,
    tokens: { waiting: 0, updated: 0, unchanged: 0, failed: 1, not_found: 0 },
    failures: [{ code: "invalid_json", tokens: 1, example: { token_id: "7", reason } }],
    sweep: null,
  };
  const admin = await startLocalServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(progress));
  });
  onTestFinished(() => admin.close());

  const env = { PORT: String(admin.port), VITRINE_OPERATOR_TOKEN: "x" };
  const { out, code } = await vitrine(tmpdir(), ["refresh", "heroes", "7"], env);

  expect(code).toBe(2);
  expect(out.split("\n")[0]).toBe(
    `failed 1  token 7  invalid_json: Unexpected token '\\u001b', "\\u001b[2J\\u202e{}" is not valid JSON`,
  );
});
