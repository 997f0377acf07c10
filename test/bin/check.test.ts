import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckOptions, checkTarget } from "../../bin/vitrine/check-target.ts";
import { reportLines } from "../../bin/vitrine/report-lines.ts";
import { type Chain, type Contract, startChain } from "../../demo/chain.ts";
import { runVitrine } from "../support/processes/command.ts";
import { type LocalServer, startLocalServer } from "../support/servers/local-server.ts";

const HERO = {
  name: "Hero",
  description: "Brave",
  image: "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png",
};
const IMAGE = "https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png";

let folder: string;
let host: LocalServer;
let chain: Chain;
let heroes: Contract;
let items: Contract;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-check-"));
  host = await startLocalServer(({ url }, response) => {
    if (url?.startsWith("/missing")) response.writeHead(404).end();
    else response.end(JSON.stringify({ ...HERO, name: `Read at ${url}` }));
  });
  chain = await startChain();
  heroes = await chain.deploy("VitrineHeroes", [`${host.url}/heroes/`]);
  items = await chain.deploy("VitrineItems", [`${host.url}/items/{id}`]);
  await chain.write(heroes, "mint", [chain.account(0).address, 7n]);
});
afterAll(async () => {
  await chain?.close();
  await host?.close();
  rmSync(folder, { recursive: true });
});

/** Runs the command as an operator does, in its own folder. */
const run = (args: readonly string[], input = "") =>
  runVitrine(["check", ...args], { cwd: folder, stdin: input });

/** The same in this process. */
const check = (
  target: string,
  options: CheckOptions = {},
  environment: Record<string, string> = {},
  input = "",
) => checkTarget(target, options, environment, Readable.from([Buffer.from(input)]));
const checkDocument = (document: unknown, options: CheckOptions = {}) =>
  check("-", options, {}, typeof document === "string" ? document : JSON.stringify(document));
const tokenOf = (contract: Contract, id: string, chainId = chain.chainId): string =>
  `${chainId}:${contract.address}:${id}`;

describe("npx vitrine check", () => {
  it("shows the numbers of properties as they are written, and names one of attributes that is not kept so", async () => {
    const properties = await checkDocument('{"properties": {"Supply": 12345678901234567890, "Price": 1.10}}');
    const entry = '{"trait_type": "N", "display_type": "number", "value": 0.1234567890123456789012}';
    const attributes = await checkDocument(`{"attributes": [${entry}]}`);

    expect(properties.traits.map(({ value }) => value)).toEqual(["12345678901234567890", "1.10"]);
    expect(reportLines(attributes).join("\n")).toContain(
      "number_precision  the number is written as 0.1234567890123456789012 and kept as 0.12345678901234568,",
    );
  });

  it("prints what each page shows, the traits, and each issue with its level and path", async () => {
    const document = {
      ...HERO,
      animation_url: "https://play.example/1",
      attributes: [
        { trait_type: "Class", value: "Mage" },
        { trait_type: "Level", display_type: "number", value: 0, max_value: 20 },
        { trait_type: "Born", display_type: "date", value: "yesterday" },
      ],
    };
    writeFileSync(join(folder, "hero.json"), JSON.stringify(document));

    const { code, stdout, stderr } = await run(["hero.json"]);

    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual([
      "name             Hero",
      "description      Brave",
      `image            ${HERO.image}`,
      expect.stringMatching(/^ {17}image unreachable: the host can't be reached/),
      expect.stringMatching(/^ {17}animation_url unreachable: the host can't be reached/),
      `collection page  image ${IMAGE}`,
      `token page       image ${IMAGE}`,
      "                 not the animation from play.example: the operator must allow its host (--allow-host shows what then)",
      "",
      "Traits",
      "  Class  string  Mage",
      "  Level  number  0     of 20",
      "",
      "Issues",
      "  warning  attributes[2].value  value_mismatch    value must be a number of Unix seconds for display_type date; it is a string",
      "  warning  animation_url        host_not_allowed  the token page may not show content of play.example; ask the operator to allow this host for the collection",
      "",
      "valid: 2 warnings",
      "",
    ]);
    expect(code).toBe(0);
    // The command needs neither the service nor its folder.
    expect(existsSync(join(folder, ".vitrine"))).toBe(false);
  });

  it("reads stdin, and prints the report of POST /market-partner/metadata/validate with --json", async () => {
    const { code, stdout } = await run(["-", "--json"], JSON.stringify([HERO]));

    expect(JSON.parse(stdout)).toEqual(await checkDocument([HERO]));
    expect(JSON.parse(stdout)).toMatchObject({
      valid: false,
      fetched: null,
      failure: { reason: "not_an_object" },
      issues: [{ code: "not_an_object", level: "error", path: "" }],
      display: { token_page: { kind: "none", url: null, skipped: [] } },
    });
    expect(code).toBe(2);
  });

  it("reads a token from its contract, at the endpoint that .env.local names", async () => {
    const settings = `PONDER_RPC_URL_31337=${chain.rpcUrl}\nALLOW_PRIVATE_HOSTS=${host.host}\n`;
    writeFileSync(join(folder, ".env.local"), settings);

    const { code, stdout } = await run([tokenOf(heroes, "7"), "--json"]);
    rmSync(join(folder, ".env.local"));

    expect(JSON.parse(stdout)).toMatchObject({ valid: true, name: "Read at /heroes/7" });
    expect(code).toBe(0);
  });

  it("says in one sentence what can't be tried, with exit code 1", async () => {
    const answers = await Promise.all([run(["nonsense"]), run(["-", "--allow-private", "127.0.0.1"])]);

    expect(answers.map(({ code, stdout }) => [code, stdout])).toEqual([
      [1, ""],
      [1, ""],
    ]);
    expect(answers[0].stderr).toBe(
      'vitrine: "nonsense" is neither a URI, a chainId:address:tokenId, nor an existing file.\n',
    );
    expect(answers[1].stderr).toContain("must be host:port");
  });
});

describe("what is printed", () => {
  it("can't move the cursor or reverse the line, whatever the document holds", async () => {
    const evil = "\u001b[2J\u009b31m\u202eevil\n\rvalid: no issues";
    const attributes = [
      { trait_type: evil, value: evil },
      { trait_type: evil, display_type: evil },
    ];
    const document = { name: evil, image: evil, animation_url: evil, description: evil, attributes };

    const lines = reportLines(await checkDocument(document));

    expect(lines.join("")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines.filter((line) => line.startsWith("valid: no issues"))).toEqual([]);
  });

  it("ends with the verdict", async () => {
    const verdict = async (document: unknown) => reportLines(await checkDocument(document)).at(-1);

    expect(await verdict(HERO)).toBe("valid: no issues");
    expect(await verdict({ description: 1 })).toBe("not valid: 2 errors, 1 warning");
    expect(await verdict("{")).toMatch(/^not valid: invalid_json: the document is not valid JSON: /);
    expect(await verdict(" ".repeat(2_097_153))).toMatch(
      /^not valid: too_large: the document has 2097153 bytes/,
    );
  });
});

describe("a host that --allow-host names", () => {
  it("is taken for allowed by the operator", async () => {
    const document = { ...HERO, animation_url: "https://sub.play.example/1" };

    const report = await checkDocument(document, { allowHost: ["a.example", "*.play.example"] });

    expect(report.display.token_page).toEqual({
      kind: "animation",
      url: "https://sub.play.example/1",
      skipped: [],
    });
  });
});

describe("a URI", () => {
  it("leads to no private address but those that are allowed, by the option or the environment", async () => {
    const uri = `${host.url}/one`;
    const before = host.requests.length;
    const refused = await check(uri);
    expect(host.requests.length).toBe(before);

    const allowed = await Promise.all([
      check(uri, { allowPrivate: ["127.0.0.1:1", host.host] }),
      check(uri, {}, { ALLOW_PRIVATE_HOSTS: host.host }),
    ]);

    expect(refused).toMatchObject({ valid: false, failure: { reason: "host_refused" } });
    const body = JSON.stringify({ ...HERO, name: "Read at /one" });
    const content_hash = createHash("sha256").update(body).digest("hex");
    for (const report of allowed)
      expect(report).toMatchObject({ valid: true, fetched: { uri, bytes: body.length, content_hash } });
  });

  it("that can't be fetched is reported with the URL that was asked, {id} filled in", async () => {
    const report = await check(`${host.url}/missing/{id}`, { tokenId: "10", allowPrivate: [host.host] });

    expect(reportLines(report)).toEqual([
      `uri  ${host.url}/missing/${"a".padStart(64, "0")}`,
      "",
      "not valid: http_status: the host answered 404",
    ]);
  });
});

describe("a URI that is the document itself", () => {
  const uri = `data:application/json;base64,${Buffer.from(JSON.stringify(HERO)).toString("base64")}`;

  it("is read where METADATA_EXTRA_SCHEMES says so, and nowhere else", async () => {
    const allowed = await check(uri, {}, { METADATA_EXTRA_SCHEMES: "data" });
    const refused = await check(uri);

    expect(allowed).toMatchObject({ valid: true, name: "Hero", fetched: { uri } });
    expect(reportLines(refused).at(-1)).toBe(
      "not valid: unsupported_scheme: the URI is data:; it must be http, https or ipfs",
    );
    await expect(check(uri, {}, { METADATA_EXTRA_SCHEMES: "file" })).rejects.toThrow(
      'METADATA_EXTRA_SCHEMES must list data or ar, separated by commas; it lists "file"',
    );
  });
});

describe("a token", () => {
  it("of either standard is read, and one that its contract does not know is a failure", async () => {
    const environment = { PONDER_RPC_URL_31337: chain.rpcUrl, ALLOW_PRIVATE_HOSTS: host.host };

    const [hero, item, none] = await Promise.all([
      check(tokenOf(heroes, "7"), {}, environment),
      check(tokenOf(items, "255"), {}, environment),
      check(tokenOf(heroes, "8"), {}, environment),
    ]);

    expect(hero).toMatchObject({ valid: true, name: "Read at /heroes/7" });
    expect(item).toMatchObject({ valid: true, name: `Read at /items/${"ff".padStart(64, "0")}` });
    expect(none).toMatchObject({ valid: false, failure: { reason: "token_reverted" } });
  });

  it("can't be tried without an endpoint that serves its chain; one that is away is a failure", async () => {
    const at = (chainId: number, url: string) =>
      check(tokenOf(heroes, "7", chainId), {}, { [`PONDER_RPC_URL_${chainId}`]: url });

    await expect(at(31337, "")).rejects.toThrow(
      "PONDER_RPC_URL_31337 is not set; set it to an RPC endpoint of chain 31337.",
    );
    await expect(at(5, chain.rpcUrl)).rejects.toThrow("serves chain 31337, not 5");
    await expect(at(6, "ws://127.0.0.1:1")).rejects.toThrow("PONDER_RPC_URL_6 must be http(s) URLs");
    expect(await at(31337, "http://127.0.0.1:1")).toMatchObject({ failure: { reason: "rpc_unavailable" } });
  });
});

describe("a target that is none", () => {
  it("is named with what is wrong with it", async () => {
    await expect(check(folder)).rejects.toThrow("can't be read (EISDIR)");
    await expect(check("31337:0x12:1")).rejects.toThrow('"0x12" is not an address');
    await expect(check(`31337:${heroes.address}:01`)).rejects.toThrow('"01" is not a token id');
    await expect(check("-", { tokenId: "1" })).rejects.toThrow("--token-id goes with a URI only");
    await expect(check("-", {}, { IPFS_GATEWAYS: "none" })).rejects.toThrow(
      "IPFS_GATEWAYS must be http(s) URLs",
    );
  });
});
