/** The serving environment: defaults, refusals, the logged values, and the local operator token. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadServingConfig, redacted } from "../../src/api/config.ts";
import { isLocal, localOperatorToken } from "../../src/api/local-secrets.ts";
import { misspelt } from "../../src/api/misspelt.ts";
import { usableMemory } from "../../src/api/usable-memory.ts";
import { BootError } from "../../src/boot-error.ts";

const TOKEN = "a-token-of-the-operator";
const SECRET = "a-secret-of-at-least-32-characters";
const OTHER_SECRET = "another-secret-of-at-least-32-characters";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-serving-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const load = (environment: Record<string, string> = {}) =>
  loadServingConfig({
    VITRINE_DATA: folder,
    VITRINE_OPERATOR_TOKEN: TOKEN,
    VITRINE_SECRET: SECRET,
    ...environment,
  });

function refusal(environment: Record<string, string>): string {
  try {
    load(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(BootError);
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
}

const defaults = {
  port: 42069,
  baseUrl: "http://localhost:42069",
  operatorContact: undefined,
  ipfsGateways: ["https://ipfs.io", "https://dweb.link", "https://w3s.link"],
  ipfsUnverified: "allow",
  extraSchemes: new Set(),
  allowedPrivateHosts: new Set(),
  refreshConcurrency: 32,
  tradeMaxAgeSeconds: 60,
  resampleHours: 6,
  searchThreads: Math.max(1, availableParallelism() - 1),
  searchMemoryMb: Math.floor(usableMemory() / 4 / 1_000_000),
  drainSeconds: 0,
};

describe("values", () => {
  it("has a working default for every variable", () => {
    expect(load()).toMatchObject(defaults);
  });

  it("counts an empty variable as unset", () => {
    const names = [
      "PORT",
      "BASE_URL",
      "OPERATOR_CONTACT",
      "IPFS_GATEWAYS",
      "IPFS_UNVERIFIED",
      "ALLOW_PRIVATE_HOSTS",
    ];
    const empty = Object.fromEntries(
      [
        ...names,
        "METADATA_EXTRA_SCHEMES",
        "REFRESH_CONCURRENCY",
        "TRADE_MAX_AGE",
        "RESAMPLE_HOURS",
        "SEARCH_THREADS",
        "SEARCH_MEMORY_MB",
      ].map((name) => [name, ""]),
    );

    expect(load(empty)).toMatchObject(defaults);
  });

  it("reads every variable", () => {
    const config = load({
      PORT: "8080",
      BASE_URL: "https://vitrine.example/nft/",
      VITRINE_SECRET_PREVIOUS: OTHER_SECRET,
      OPERATOR_ADDRESSES:
        "0x00000000000000000000000000000000000000AA,0x00000000000000000000000000000000000000bb",
      AUTO_APPROVE: "market, market-partner,",
      TRUSTED_PROXIES: "10.0.0.0/8, ::1",
      OPERATOR_CONTACT: "ops@vitrine.example",
      IPFS_GATEWAYS: " https://a.example/ipfs/ ,https://b.example/, https://c.example/ipfs",
      IPFS_UNVERIFIED: "refuse",
      ALLOW_PRIVATE_HOSTS: "Cache.Internal:80, 127.0.0.1:8080,[::1]:8080",
      METADATA_EXTRA_SCHEMES: "ar, data,",
      REFRESH_CONCURRENCY: "0",
      TRADE_MAX_AGE: "5",
      RESAMPLE_HOURS: "0.5",
      WEBHOOK_RETRY_SECONDS: "0.5, 60",
      SEARCH_THREADS: "3",
      SEARCH_MEMORY_MB: "2000",
      DRAIN_SECONDS: "7",
    });

    expect(config).toEqual({
      port: 8080,
      baseUrl: "https://vitrine.example/nft",
      dataFolder: folder,
      mediaStore: { kind: "folder", folder: join(folder, "media") },
      mediaBaseUrl: "https://vitrine.example/nft",
      operatorToken: TOKEN,
      secrets: { current: SECRET, previous: OTHER_SECRET },
      operatorAddresses: new Set([
        "0x00000000000000000000000000000000000000aa",
        "0x00000000000000000000000000000000000000bb",
      ]),
      autoApprove: new Set(["market", "market-partner"]),
      demoWallet: false,
      trustedProxies: ["10.0.0.0/8", "::1"],
      operatorContact: "ops@vitrine.example",
      ipfsGateways: ["https://a.example", "https://b.example", "https://c.example"],
      ipfsUnverified: "refuse",
      extraSchemes: new Set(["ar", "data"]),
      allowedPrivateHosts: new Set(["cache.internal:80", "127.0.0.1:8080", "[::1]:8080"]),
      refreshConcurrency: 0,
      tradeMaxAgeSeconds: 5,
      resampleHours: 0.5,
      webhookPausesMs: [500, 60_000],
      searchThreads: 3,
      searchMemoryMb: 2_000,
      drainSeconds: 7,
    });
  });

  it("takes the operator's token without the line's end that its file has", () => {
    expect(load({ VITRINE_OPERATOR_TOKEN: `${TOKEN}\n` }).operatorToken).toBe(TOKEN);
  });

  it("offers a demo wallet on this machine only", () => {
    expect(load({ DEMO_WALLET: "true" })).toMatchObject({ demoWallet: true });
    expect(() => load({ DEMO_WALLET: "true", BASE_URL: "https://vitrine.example" })).toThrow(/DEMO_WALLET/);
  });

  it("knows our own delegation registry until another is named", () => {
    expect(load({})).toMatchObject({ delegationUrl: undefined, delegationApiKey: undefined });
    const other = { DELEGATION_URL: "https://registry.example/api/", DELEGATION_API_KEY: "the-key" };
    expect(load(other)).toMatchObject({
      delegationUrl: "https://registry.example/api",
      delegationApiKey: "the-key",
    });
    expect(JSON.stringify(redacted(load(other)))).not.toContain("the-key");
  });

  it("answers at the port it listens on unless BASE_URL says otherwise", () => {
    expect(load({ PORT: "8080" }).baseUrl).toBe("http://localhost:8080");
  });
});

describe("refusals", () => {
  it.each([
    { name: "PORT", values: ["0", "65536", "80.5", "-1", "http", "0x50", " 80", "1e3"] },
    {
      name: "BASE_URL",
      values: [
        "vitrine.example",
        "ftp://vitrine.example",
        "//vitrine.example",
        "https://",
        "https://user:secret@vitrine.example",
        "https://vitrine.example/?a=b",
        "https://vitrine.example/#a",
      ],
    },
    {
      name: "DELEGATION_URL",
      values: [
        "registry.example",
        "ftp://registry.example",
        "https://user:secret@registry.example",
        "https://registry.example?key=secret",
      ],
    },
    { name: "VITRINE_SECRET", values: ["short", "x".repeat(31)] },
    { name: "VITRINE_SECRET_PREVIOUS", values: ["x".repeat(31)] },
    { name: "OPERATOR_ADDRESSES", values: ["0xabc", "vitalik.eth", "0x1,0x2"] },
    { name: "AUTO_APPROVE", values: ["graphql", "market;market-partner"] },
    { name: "DEMO_WALLET", values: ["1", "yes"] },
    { name: "TRUSTED_PROXIES", values: ["proxy.internal", "10.0.0.0/33", "*"] },
    { name: "VITRINE_OPERATOR_TOKEN", values: ["short", "x".repeat(15), " ".repeat(20)] },
    { name: "IPFS_UNVERIFIED", values: ["ALLOW", "no", "false"] },
    {
      name: "IPFS_GATEWAYS",
      values: [
        ",",
        "ipfs.io",
        "https://ipfs.io,dweb.link",
        "https://ipfs.io https://dweb.link",
        "ipfs://gateway",
        "https://ipfs.io,https://user:secret@gateway.example",
        "https://gateway.example/ipfs?token=secret",
        "https://gateway.example#a",
      ],
    },
    { name: "ALLOW_PRIVATE_HOSTS", values: ["localhost", "http://localhost:80", "localhost:http", "a:1,b"] },
    { name: "METADATA_EXTRA_SCHEMES", values: ["http", "data,ftp", "data ar", "DATA", "data:"] },
    { name: "REFRESH_CONCURRENCY", values: ["-1", "1001", "many", "1.5"] },
    { name: "TRADE_MAX_AGE", values: ["0", "86401", "60s"] },
    { name: "WEBHOOK_RETRY_SECONDS", values: ["0", "-1", "5;6", "1e3", "604801", ",", "1,".repeat(21)] },
    { name: "SEARCH_THREADS", values: ["0", "257", "all", "1.5"] },
    { name: "SEARCH_MEMORY_MB", values: ["0", "-1", "2G", "1e3"] },
    { name: "RESAMPLE_HOURS", values: ["-1", "0.0009", "8761", "6h", "1e3", "off", "."] },
  ])("names $name and its rule for each bad value", ({ name, values }) => {
    for (const value of values) {
      const message = refusal({ [name]: value });

      expect(message, value).toMatch(new RegExp(`^${name} must .*\\. See README "Configuration"\\.$`));
    }
  });

  it.each([
    ["ALLOW_PRIVATE_HOSTS", "a:1,http://user:hunter2@ipfs.internal:5001", "entry 2 is not one"],
    ["TRUSTED_PROXIES", "http://u:hunter2@10.0.0.1:3128", "entry 1 is not one"],
    ["OPERATOR_ADDRESSES", `0x${"ab".repeat(32)}`, "entry 1 is not one"],
    ["TRUSTED_PROXIES", "::1,10.0.0.0/33", 'it lists "10.0.0.0/33"'],
    ["ALLOW_PRIVATE_HOSTS", "localhost", 'it lists "localhost"'],
    ["OPERATOR_ADDRESSES", "0xabc", 'it lists "0xabc"'],
  ])("repeats the wrong entry of %s=%s, unless it could hold a secret", (name, value, found) => {
    const message = refusal({ [name]: value });

    expect(message).toContain(`; ${found}. See README`);
    expect(message).not.toMatch(/hunter2|abababab/);
  });

  it.each([
    ["REFRESH_CONCURENCY", "REFRESH_CONCURRENCY"],
    ["VITRINE_OPERATOR_TOKENS", "VITRINE_OPERATOR_TOKEN"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["base_url", "BASE_URL"],
  ])("takes %s for a misspelt %s, unless that is set too", (variable, meant) => {
    expect(misspelt({ [variable]: "x", PATH: "/bin" })).toEqual([{ variable, meant }]);
    expect(misspelt({ [variable]: "x", [meant]: "x" })).toEqual([]);
  });

  it("takes no variable of other programs for a misspelt one, and none of its own", () => {
    const others = [
      "PORTS",
      "PATH",
      "VITRINE_PORT",
      "VITRINE_SERVICE_HOST",
      "AWS_ROLE_ARN",
      "DATABASE_HOST",
      "PGDATA",
    ];
    const own = [
      "PORT",
      "BASE_URL",
      "VITRINE_SECRET",
      "VITRINE_SECRET_PREVIOUS",
      "PONDER_RPC_URL_1",
      "S3_REGION",
    ];

    expect(misspelt(Object.fromEntries([...others, ...own].map((name) => [name, "x"])))).toEqual([]);
  });

  it("reports all bad variables in one message", () => {
    const message = refusal({ PORT: "http", BASE_URL: "vitrine", TRADE_MAX_AGE: "soon" });

    expect(message).toContain('PORT must be a whole number from 1 to 65535; it is "http"');
    expect(message).toContain('BASE_URL must be an http(s) URL; it is "vitrine"');
    expect(message).toContain('TRADE_MAX_AGE must be a whole number from 1 to 86400; it is "soon"');
  });

  it("says what RESAMPLE_HOURS may be, 0 and fractions included", () => {
    expect(refusal({ RESAMPLE_HOURS: "6h" })).toContain(
      'RESAMPLE_HOURS must be a number of hours from 0.001 to 8760, such as 6 or 0.5, or 0 for never; it is "6h"',
    );
    expect(["0", "0.001", "8760"].map((RESAMPLE_HOURS) => load({ RESAMPLE_HOURS }).resampleHours)).toEqual([
      0, 0.001, 8760,
    ]);
  });

  it("names the scheme that is unknown", () => {
    expect(refusal({ METADATA_EXTRA_SCHEMES: "data,ipns" })).toContain(
      'METADATA_EXTRA_SCHEMES must list data or ar, separated by commas; it lists "ipns"',
    );
  });

  it("repeats no secret of a URL", () => {
    for (const name of ["BASE_URL", "DELEGATION_URL", "IPFS_GATEWAYS", "MEDIA_BASE_URL"]) {
      expect(refusal({ [name]: "https://user:hunter2@host.example/?key=hunter2" })).not.toContain("hunter2");
    }
  });

  it.each([
    ["MEDIA_STORE", "s3://key:hunter2@pictures/vitrine"],
    ["MEDIA_STORE", "s3://pictures/key:hunter2@vitrine"],
    ["MEDIA_STORE", "https://key:hunter2@pictures.example"],
    ["S3_ENDPOINT", "key:hunter2@pictures.example"],
    ["BASE_URL", "postgres://vitrine:hunter2@db.example/vitrine"],
  ])("repeats no login in %s=%s", (name, value) => {
    const message = refusal({ S3_REGION: "us-east-1", [name]: value });

    expect(message).toContain(`${name} must be`);
    expect(message).not.toContain("hunter2");
  });

  it("repeats no token, not even a bad one", () => {
    for (const name of ["VITRINE_OPERATOR_TOKEN", "VITRINE_SECRET", "VITRINE_SECRET_PREVIOUS"]) {
      expect(refusal({ [name]: "hunter2" })).not.toContain("hunter2");
    }
  });
});

describe("what is logged", () => {
  it("holds no token, and says whether there is one", () => {
    const full = load({ VITRINE_SECRET_PREVIOUS: OTHER_SECRET });
    const logged = [full, { ...full, operatorToken: undefined }].map((config) =>
      JSON.stringify(redacted(config)),
    );

    expect(logged[0]).toContain('"operatorToken":"set"');
    expect(logged[1]).toContain('"operatorToken":"unset"');
    for (const text of [TOKEN, SECRET, OTHER_SECRET]) expect(logged.join()).not.toContain(text);
    expect(redacted(full)).toMatchObject({ secret: "set", previousSecret: "set" });
    expect(redacted(load())).toMatchObject({ secret: "set", previousSecret: "unset" });
  });

  it("prints no value as [object Object]", () => {
    const line = Object.entries(
      redacted(load({ VITRINE_SECRET_PREVIOUS: OTHER_SECRET, TRUSTED_PROXIES: "10.0.0.0/8" })),
    )
      .map(([name, value]) => `${name}=${value}`)
      .join(" ");

    expect(line).toContain("secret=set previousSecret=set");
    expect(line).not.toContain("[object");
  });

  it("lists the schemes and the hosts that are allowed", () => {
    expect(redacted(load({ METADATA_EXTRA_SCHEMES: "data" })).extraSchemes).toEqual(["data"]);
    expect(redacted(load({ ALLOW_PRIVATE_HOSTS: "a:1,b:2" })).allowedPrivateHosts).toEqual(["a:1", "b:2"]);
  });
});

describe("the operator token", () => {
  const withoutToken = (baseUrl: string) => load({ VITRINE_OPERATOR_TOKEN: "", BASE_URL: baseUrl });

  it("is made once for a local service, and only its owner can read it", () => {
    const file = join(folder, "operator-token");

    const tokens = [withoutToken("http://localhost:42069"), withoutToken("http://127.0.0.1:8080")].map(
      ({ operatorToken }) => operatorToken,
    );

    expect(tokens[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(tokens[1]).toBe(tokens[0]);
    expect(readFileSync(file, "utf8")).toBe(tokens[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(["", "\n", "cut"])(
    "refuses to start with a file that holds only %j, and says what to do",
    (content) => {
      const file = join(folder, "operator-token");
      writeFileSync(file, content);

      expect(() => localOperatorToken(folder)).toThrow(
        new BootError(`${file} holds no valid operator token; delete it, and the next start creates one.`),
      );
    },
  );

  it("that another process creates at the same moment is waited for", () => {
    const file = join(folder, "operator-token");
    writeFileSync(file, "");
    const other = spawn("/bin/sh", ["-c", `sleep 0.05; printf %s "${TOKEN}" > "${file}"`]);

    expect(localOperatorToken(folder)).toBe(TOKEN);
    other.kill();
  });

  it("that can't be read is said to be that, as after a start by another account", () => {
    const file = join(folder, "operator-token");
    // Root, as whom tests may run, can read every file.
    mkdirSync(file);

    expect(() => localOperatorToken(folder)).toThrow(
      new BootError(
        `${file} can't be read (EISDIR); start Vitrine as its owner or set VITRINE_DATA to another folder.`,
      ),
    );
  });

  it("differs between services", () => {
    const folders = ["a", "b"].map((name) => join(folder, name, "nested"));

    expect(new Set(folders.map(localOperatorToken)).size).toBe(2);
  });

  it("is never made up for a public service", () => {
    expect(withoutToken("https://vitrine.example").operatorToken).toBeUndefined();
  });

  it.each([
    { url: "http://localhost:42069", local: true },
    { url: "http://LOCALHOST", local: true },
    { url: "https://127.0.0.1", local: true },
    { url: "http://[::1]:1", local: true },
    { url: "http://localhost.example", local: false },
    { url: "http://127.0.0.1.example", local: false },
    { url: "http://192.168.0.1", local: false },
    { url: "https://localhost@vitrine.example", local: false },
  ])("takes $url for local: $local", ({ url, local }) => {
    expect(isLocal(url)).toBe(local);
  });
});

describe("the secret", () => {
  const withoutSecret = (baseUrl: string) => load({ VITRINE_SECRET: "", BASE_URL: baseUrl });

  it("is made once for a local service, and only its owner can read it", () => {
    const file = join(folder, "secret");

    const secrets = [withoutSecret(""), withoutSecret("http://127.0.0.1:1")].map((config) => config.secrets);

    expect(secrets[0]?.current).toMatch(/^[0-9a-f]{64}$/);
    expect(secrets[1]).toEqual(secrets[0]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("that a public service lacks is a refusal to start, which names the variable", () => {
    expect(() => withoutSecret("https://vitrine.example")).toThrow(/^VITRINE_SECRET must be set/);
  });
});
