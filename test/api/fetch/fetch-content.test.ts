/** IPFS content comes verified from whichever gateway has it; one that lies is paused, and one that is late is called off. */

import { createHash, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { isHostFault } from "../../../src/api/fetch/host-fault.ts";
import {
  type ContentOptions,
  createFetchContent,
  type IpfsUnverified,
} from "../../../src/api/fetch/ipfs/fetch-content.ts";
import { createGatewayMetrics } from "../../../src/api/fetch/ipfs/gateway-metrics.ts";
import { IPFS_HOST, locate } from "../../../src/api/fetch/locate.ts";
import {
  Blocks,
  type CborNode,
  carOf,
  cborOf,
  entityBlocks,
  type GatewayConduct,
  type IpfsGateway,
  startIpfsGateway,
  tampered,
} from "../../support/servers/ipfs-gateway.ts";

const TEXT = '{"name":"Hero","image":"ipfs://x"}';
const LIE = (body: Buffer): Buffer => Buffer.from(body.toString().replace("Hero", "Liar"));
const blocks = new Blocks();
let cid: string;
let directory: string;
/** Of a node of DAG-CBOR with links to files, as nft.storage stored an NFT. */
let nft: string;

/** The third is no gateway of ours. */
const conducts: GatewayConduct[] = [{}, {}, {}];
let servers: IpfsGateway[];
beforeAll(async () => {
  cid = await blocks.add({ "": TEXT });
  directory = await blocks.add({
    "1.json": TEXT,
    "a b.json": TEXT,
    "Cat #7.json": TEXT,
    "A 100%.json": TEXT,
    "site/index.html": "<p>Hello</p>",
  });
  nft = await addCbor({ "metadata.json": CID.parse(cid), name: "Hero" });
  servers = await Promise.all(
    conducts.map((_, index) =>
      // Read at every request.
      startIpfsGateway(
        blocks,
        new Proxy({}, { get: (_target, name) => conducts[index]?.[name as keyof GatewayConduct] }),
      ),
    ),
  );
});
beforeEach(() => {
  for (const index of conducts.keys()) conducts[index] = {};
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function addCbor(node: CborNode): Promise<string> {
  const bytes = cborOf(node);
  const digest = createDigest(0x12, createHash("sha256").update(bytes).digest());
  return `${await blocks.put(CID.createV1(0x71, digest), bytes)}`;
}

const lying: GatewayConduct = { blocks: tampered, body: (body, { isCar }) => (isCar ? body : LIE(body)) };
const plain: GatewayConduct = { car: "ignore" };
const broken: GatewayConduct = { own: (_request, response) => Boolean(response.destroy()) };

/** Fetches as one process with two gateways. */
function createProcess(ipfsUnverified?: IpfsUnverified) {
  const gateways = servers.slice(0, 2).map(({ url }) => url);
  const registry = new Registry();
  const paused: string[] = [];
  const fetch = createGuardedFetch(new Set(servers.map(({ host }) => host)), "test");
  const fetchContent = createFetchContent({
    fetch,
    fetchFromGateway: fetch,
    gateways,
    ipfsUnverified,
    metrics: createGatewayMetrics(registry, gateways),
    onMismatch: (gateway) => paused.push(gateway),
  });
  return {
    paused,
    async metric(name: string, index: number): Promise<number> {
      const { values = [] } = (await registry.getSingleMetric(`vitrine_gateway_${name}_total`)?.get()) ?? {};
      return values.find(({ labels }) => labels.gateway === servers[index]?.host)?.value ?? 0;
    },
    /** The document, and whether it was verified; or why there is none. And which gateways were asked, in order. */
    async get(uri: string, options: Partial<ContentOptions> = {}) {
      const located = locate(uri, gateways);
      const before = servers.map(({ requests }) => requests.length);
      const answer = await fetchContent(located.kind === "located" ? located.urls : [], {
        bytesMax: 100_000,
        timeoutMs: 20_000,
        accept: "application/json",
        ...options,
      });
      const asked = servers.map(({ requests }, index) => requests.length - (before[index] ?? 0)).join("");
      return answer.kind === "failed"
        ? { ...answer, asked }
        : { ...answer, text: answer.body.toString(), asked };
    },
  };
}

it("each of the operator's gateways, and all others together, are counted from nothing", async () => {
  const registry = new Registry();
  createGatewayMetrics(registry, ["https://one.example", "https://two.example:8080/key"]);
  const series = await Promise.all(
    ["vitrine_gateway_mismatches_total", "vitrine_gateway_hedges_total"].map(
      async (name) => (await registry.getSingleMetric(name)?.get())?.values,
    ),
  );

  const fromNothing = ["one.example", "two.example:8080", "other"].map((gateway) => ({
    labels: { gateway },
    value: 0,
  }));
  expect(series).toMatchObject([fromNothing, fromNothing]);
});

const verified = { kind: "fetched", text: TEXT, verified: "cid" };

describe("content", () => {
  it.each([
    ["a CID", () => `ipfs://${cid}`],
    ["a path", () => `ipfs://${directory}/1.json`],
    ["a path through DAG-CBOR", () => `ipfs://${nft}/metadata.json`],
    ["a path with an escaped name", () => `ipfs://${directory}/a%20b.json`],
    ["a path with an unescaped name and a query", () => `ipfs://${directory}/a b.json?x=1#y`],
    ["a path with an unescaped # in a name", () => `ipfs://${directory}/Cat #7.json`],
    ["a path with an unescaped % in a name", () => `ipfs://${directory}/A 100%.json`],
    ["an IPFS URI twice", () => `ipfs://ipfs://${directory}/1.json`],
    ["another gateway's URL", () => `${servers[2]?.url}/ipfs/${directory}/1.json`],
    ["another gateway's URL with a # in a name", () => `${servers[2]?.url}/ipfs/${directory}/Cat #7.json`],
    ["another gateway's URL before an IPFS URI", () => `${servers[2]?.url}/ipfs/ipfs://${directory}/1.json`],
  ])("of %s is verified", async (_what, uri) => {
    expect(await createProcess().get(uri())).toMatchObject(verified);
  });

  it("is asked for in blocks of this entity alone", async () => {
    await createProcess().get(`ipfs://${directory}/1.json?key=7`);
    const query = servers[0]?.requests.at(-1)?.query;

    expect(Object.fromEntries(query ?? [])).toEqual({ key: "7", format: "car", "dag-scope": "entity" });
  });

  it("that a verified directory doesn't have is missing, and nobody else is asked", async () => {
    // The directory's block proves it.
    const car = await carOf(directory, await entityBlocks(blocks, directory));
    conducts[0] = {
      own: (_request, response) =>
        Boolean(response.setHeader("content-type", "application/vnd.ipld.car").end(car)),
    };

    expect(await createProcess().get(`ipfs://${directory}/2.json`)).toMatchObject({
      reason: "http_status",
      status: 404,
      transient: false,
      asked: "100",
    });
  });

  it("that a node of DAG-CBOR has no link to is read unverified, or refused", async () => {
    const car = await carOf(nft, await entityBlocks(blocks, `${nft}/metadata.json`));
    conducts[0] = {
      own: ({ isCar }, response) => {
        if (isCar) response.setHeader("content-type", "application/vnd.ipld.car").end(car);
        else response.end("Hero");
        return true;
      },
    };

    expect(await createProcess().get(`ipfs://${nft}/name`)).toMatchObject({ text: "Hero", verified: null });
    expect(await createProcess("refuse").get(`ipfs://${nft}/name`)).toMatchObject({
      reason: "content_unverified",
      transient: false,
    });
  });

  it("of a directory is its page, as gateways answer it", async () => {
    expect(await createProcess().get(`ipfs://${directory}/site`)).toMatchObject({
      text: "<p>Hello</p>",
      contentType: "text/html",
      verified: "cid",
    });
    expect(await createProcess().get(`ipfs://${directory}`)).toMatchObject({
      kind: "failed",
      reason: "http_status",
      status: 404,
    });
  });

  it("that was verified is never asked for again to revalidate it", async () => {
    const { get } = createProcess();
    const first = await get(`ipfs://${cid}`);
    const etag = first.kind === "fetched" ? first.etag : undefined;

    expect(await get(`ipfs://${cid}`, { ifNoneMatch: etag })).toMatchObject({
      isUnchanged: true,
      verified: "cid",
      asked: "000",
    });
    // A host can't claim it.
    conducts[0] = { own: (_request, response) => Boolean(response.setHeader("etag", etag ?? "").end(TEXT)) };
    const claimed = await createProcess().get(`ipfs://${cid}`);
    expect(claimed).toMatchObject({ text: TEXT, verified: null });
    expect(claimed).not.toHaveProperty("etag");
  });

  it.each([
    [{ verified: null, text: TEXT }, "allow"],
    [{ reason: "content_unverified", transient: false, asked: "000" }, "refuse"],
  ] as const)("of a name of IPNS is never verified: %j", async (answer, setting) => {
    conducts[2] = { own: (_request, response) => Boolean(response.end(TEXT)) };

    expect(await createProcess(setting).get(`${servers[2]?.url}/ipns/hero.example/1.json`)).toMatchObject(
      answer,
    );
  });
});

describe("a gateway that sends other bytes", () => {
  it("is paused and named, and the next one is asked", async () => {
    conducts[0] = lying;
    const { get, metric, paused } = createProcess();

    expect(await get(`ipfs://${directory}/1.json`)).toMatchObject({ ...verified, asked: "110" });
    expect(await get(`ipfs://${directory}/1.json`)).toMatchObject({ ...verified, asked: "010" });
    expect(paused).toEqual([servers[0]?.url]);
    expect([await metric("mismatches", 0), await metric("mismatches", 1)]).toEqual([1, 0]);
  });

  it("is believed in nothing else: not that it gives no blocks", async () => {
    conducts[0] = lying;
    const { get } = createProcess();
    await get(`ipfs://${cid}`);
    conducts.splice(0, 2, { ...plain, body: LIE }, broken);

    expect(await get(`ipfs://${cid}`)).toMatchObject({ kind: "failed", transient: true });
  });

  it("fails the fetch, for now, where all of them do", async () => {
    conducts.splice(0, 2, lying, lying);

    expect(await createProcess().get(`ipfs://${cid}`)).toMatchObject({
      kind: "failed",
      reason: "content_mismatch",
      transient: true,
    });
  });

  it("is not taken for one by a CAR that was cut short", async () => {
    conducts[0] = { body: (body) => body.subarray(0, body.length - 5) };
    const { get, paused } = createProcess();

    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    expect(paused).toEqual([]);
  });

  it.each([
    [
      "sends a CAR that was cut short",
      (response: ServerResponse, car: Buffer) => response.end(car.subarray(0, -5)),
    ],
    [
      "breaks off",
      (response: ServerResponse, car: Buffer) =>
        response.write(car.subarray(0, -5), () => setImmediate(() => response.destroy())),
    ],
  ])("is another one than one that %s, which says nothing about the host", async (_what, send) => {
    const car = await carOf(cid, await entityBlocks(blocks, cid));
    const own = (_request: unknown, response: ServerResponse): boolean => {
      response.setHeader("content-type", "application/vnd.ipld.car");
      send(response, car);
      return true;
    };
    conducts.splice(0, 2, { own }, { own });
    const answer = await createProcess().get(`ipfs://${cid}`);

    expect(answer).toMatchObject({ reason: "content_incomplete", transient: true });
    expect(isHostFault(IPFS_HOST, "content_incomplete", true)).toBe(false);
  });

  it("is paused for a CAR of other content too", async () => {
    const other = await blocks.add({ "": "other" });
    conducts[0] = {
      own: ({ path }, response) =>
        path === cid && Boolean(response.writeHead(302, { location: `/ipfs/${other}?format=car` }).end()),
    };
    const { get, paused } = createProcess();

    expect(await get(`ipfs://${cid}`)).toMatchObject(verified);
    expect(paused).toEqual([servers[0]?.url]);
  });
});

describe("a gateway that can't give blocks", () => {
  it.each([
    ["sends plain bytes", "ignore"],
    ["answers 400", 400],
    ["answers 404", 404],
    ["answers 406", 406],
  ] as const)("is used unverified where it %s, or refused", async (_what, car) => {
    conducts.splice(0, 2, { car }, broken);

    expect(await createProcess().get(`ipfs://${cid}`)).toMatchObject({ text: TEXT, verified: null });
    const refused = await createProcess("refuse").get(`ipfs://${cid}`);
    expect(refused.kind).toBe("failed");
    conducts[1] = { car };
    const refusedByAll = await createProcess("refuse").get(`ipfs://${cid}`);
    expect(refusedByAll).toMatchObject(
      car === 404
        ? { reason: "http_status", status: 404 }
        : { reason: "content_unverified", transient: false },
    );
  });

  it("is asked after one that gives them, which it takes one fetch to learn", async () => {
    conducts[0] = plain;
    const { get } = createProcess();

    expect(await get(`ipfs://${cid}`)).toMatchObject({ verified: null, asked: "100" });
    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "010" });
    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "010" });
    conducts[1] = broken;
    // Twice: its connection had served before, and may only have been used up.
    expect(await get(`ipfs://${cid}`)).toMatchObject({ verified: null, asked: "120" });
  });

  it("gives way at once to one that gave blocks before", async () => {
    const { get } = createProcess();
    conducts[0] = broken;
    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    conducts[0] = { ...plain, body: LIE };
    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
  });

  it("is read within the limit", async () => {
    const large = await blocks.add({ "": randomBytes(3_000) });
    conducts[0] = plain;

    expect(await createProcess().get(`ipfs://${large}`, { bytesMax: 2_999 })).toMatchObject({
      reason: "too_large",
    });
    const start = await createProcess().get(`ipfs://${large}`, { bytesMax: 100, isStartEnough: true });
    expect(start.kind === "fetched" && start.body.length).toBe(100);
  });
});

describe("a limit", () => {
  it("of the content holds for what is verified", async () => {
    const large = await blocks.add({ "": randomBytes(3_000) }, { chunker: fixedSize({ chunkSize: 512 }) });
    const { get } = createProcess();

    expect(await get(`ipfs://${large}`, { bytesMax: 2_999 })).toMatchObject({
      reason: "too_large",
      transient: false,
      asked: "100",
    });
    const start = await get(`ipfs://${large}`, { bytesMax: 700, isStartEnough: true });
    expect(start).toMatchObject({ kind: "fetched", verified: "cid" });
    expect(servers[0]?.requests.at(-1)?.query.get("entity-bytes")).toBe("0:699");
  });

  it("of the CAR ends a gateway that sends more and more, and the next one is asked", async () => {
    let sent = 0;
    conducts[0] = {
      own(_request, response) {
        response.setHeader("content-type", "application/vnd.ipld.car");
        const more = (): void => {
          sent += 65_536;
          if (!response.destroyed && sent < 1 << 30) response.write(Buffer.alloc(65_536), more);
        };
        more();
        return true;
      },
    };

    expect(await createProcess().get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    expect(sent).toBeLessThan(64 << 20);
  });
});

describe("a gateway that is late", () => {
  /** Resolves when the test ends. */
  const never = (): Promise<never> => new Promise(() => undefined);

  it("is called off once another one has the content", async () => {
    conducts[0] = { after: never };
    const { get, metric } = createProcess();
    const before = servers[0]?.calledOff() ?? 0;

    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    await expect.poll(() => servers[0]?.calledOff()).toBe(before + 1);
    expect(await metric("hedges", 0)).toBe(1);
  });

  it("ends it if it answers first after all", async () => {
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    conducts[0] = { after: () => answered };
    conducts[1] = {
      after() {
        answer();
        return never();
      },
    };
    const before = servers[1]?.calledOff() ?? 0;

    expect(await createProcess().get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    await expect.poll(() => servers[1]?.calledOff()).toBe(before + 1);
  });

  describe("and has given blocks before, while the next one sends plain bytes", () => {
    const onceSent = (): { readonly sent: Promise<void>; readonly sending: GatewayConduct } => {
      let note = (): void => undefined;
      const sent = new Promise<void>((resolve) => {
        note = resolve;
      });
      const own: GatewayConduct["own"] = (_request, response) => {
        // By then, the bytes have been read.
        response.on("finish", () => setTimeout(note, 100));
        response.setHeader("content-type", "application/json").end(LIE(Buffer.from(TEXT)));
        return true;
      };
      return { sent, sending: { own } };
    };
    const unverified = { text: LIE(Buffer.from(TEXT)).toString(), verified: null, asked: "110" };

    it("is waited for, and verifies the content", async () => {
      const { get } = createProcess();
      await get(`ipfs://${directory}/1.json`);
      const { sent, sending } = onceSent();
      conducts.splice(0, 2, { after: () => sent }, sending);

      expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "110" });
    });

    it.each([
      ["fails", (sent: Promise<void>): GatewayConduct => ({ after: () => sent, car: 500 })],
      ["never answers", (): GatewayConduct => ({ after: never })],
    ])("gives way to them, which are not fetched again, where it %s", async (_what, conduct) => {
      const { get } = createProcess();
      await get(`ipfs://${directory}/1.json`);
      const { sent, sending } = onceSent();
      conducts.splice(0, 2, conduct(sent), sending);

      expect(await get(`ipfs://${cid}`, { timeoutMs: 2_000 })).toMatchObject(unverified);
    });

    it("leaves them to a caller who can't wait any longer", async () => {
      const { get } = createProcess();
      await get(`ipfs://${directory}/1.json`);
      const controller = new AbortController();
      const { sent, sending } = onceSent();
      conducts.splice(0, 2, { after: never }, sending);
      void sent.then(() => controller.abort());

      expect(await get(`ipfs://${cid}`, { signal: controller.signal })).toMatchObject(unverified);
    });
  });

  it("is waited for while no second request is allowed", async () => {
    let ask = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    conducts[0] = { after: () => isAsked };
    const mayHedge = async (): Promise<boolean> => {
      ask();
      return false;
    };

    expect(await createProcess().get(`ipfs://${cid}`, { mayHedge })).toMatchObject({
      ...verified,
      asked: "100",
    });
  });

  it("is asked after the others once it was late three times in a row", async () => {
    conducts[0] = { after: never };
    const { get } = createProcess();
    for (let time = 0; time < 3; time++) await get(`ipfs://${cid}`);

    expect(await get(`ipfs://${cid}`)).toMatchObject({ ...verified, asked: "010" });
  });

  it("is called off with the caller", async () => {
    const controller = new AbortController();
    const endCaller = (): Promise<never> => {
      controller.abort();
      return never();
    };
    conducts.splice(0, 2, { after: endCaller }, { after: never });
    const before = servers[0]?.calledOff() ?? 0;

    expect(await createProcess().get(`ipfs://${cid}`, { signal: controller.signal })).toMatchObject({
      kind: "failed",
      transient: true,
    });
    await expect.poll(() => servers[0]?.calledOff()).toBe(before + 1);
  });
});
