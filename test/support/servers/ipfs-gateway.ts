/** Small real IPFS gateways on the libraries of IPFS: honest ones, and others. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CarWriter } from "@ipld/car/writer";
import { exporter, type UnixFSEntry, walkPath } from "ipfs-unixfs-exporter";
import { type ImporterOptions, importer } from "ipfs-unixfs-importer";
import { CID } from "multiformats/cid";

export interface Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
}

/** Every block that was imported, by its hash. */
export class Blocks {
  readonly all = new Map<string, Uint8Array>();
  private readonly key = (cid: CID): string => Buffer.from(cid.multihash.digest).toString("hex");

  async put(cid: CID, bytes: Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<CID> {
    if (bytes instanceof Uint8Array) this.all.set(this.key(cid), bytes);
    else {
      const parts: Uint8Array[] = [];
      for await (const part of bytes) parts.push(part);
      this.all.set(this.key(cid), Buffer.concat(parts));
    }
    return cid;
  }

  async *get(cid: CID): AsyncGenerator<Uint8Array> {
    const bytes = this.all.get(this.key(cid));
    if (!bytes) throw new Error(`no block ${cid}`);
    yield bytes;
  }

  /** Imports files by their paths under one directory; returns its CID, or the CID of a lone file at "". */
  async add(
    files: Readonly<Record<string, string | Uint8Array>>,
    options: ImporterOptions = {},
  ): Promise<string> {
    const isLone = Object.keys(files).join() === "";
    const sources = Object.entries(files).map(([path, content]) => ({
      ...(path !== "" && { path }),
      content: Buffer.from(content),
    }));
    let last: CID | undefined;
    for await (const { cid } of importer(sources, this, { wrapWithDirectory: !isLone, ...options }))
      last = cid;
    if (!last) throw new Error("nothing was imported");
    return last.toString();
  }
}

/** The blocks that a CAR with `dag-scope=entity` holds: those of the path, then those of a file. */
export async function entityBlocks(blocks: Blocks, path: string): Promise<Block[]> {
  const read: Block[] = [];
  const recording = {
    async *get(cid: CID) {
      for await (const bytes of blocks.get(cid)) {
        read.push({ cid, bytes });
        yield bytes;
      }
    },
  };
  const entry = await entryOf(recording, path);
  if (entry.type === "file") for await (const _ of entry.content({ blockReadConcurrency: 1 })) void _;
  return read;
}

async function entryOf(store: Pick<Blocks, "get">, path: string): Promise<UnixFSEntry> {
  let last: CID | undefined;
  for await (const { cid } of walkPath(path, store)) last = cid;
  if (!last) throw new Error(`nothing at ${path}`);
  return exporter(last, store);
}

export async function carOf(root: string | readonly string[], blocks: readonly Block[]): Promise<Buffer> {
  const { writer, out } = CarWriter.create([root].flat().map((text) => CID.parse(text)));
  const parts: Uint8Array[] = [];
  const reading = (async () => {
    for await (const part of out) parts.push(part);
  })();
  for (const block of blocks) await writer.put(block);
  await writer.close();
  await reading;
  return Buffer.concat(parts);
}

/** A node of DAG-CBOR, such as one that links to the files of an NFT. */
export type CborNode = CID | string | readonly CborNode[] | { readonly [name: string]: CborNode };

export function cborOf(node: CborNode): Buffer {
  // Lengths up to 65,535.
  const head = (major: number, length: number): Buffer =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
        ? Buffer.from([(major << 5) | 24, length])
        : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  if (typeof node === "string") return Buffer.concat([head(3, Buffer.byteLength(node)), Buffer.from(node)]);
  if (node instanceof CID)
    return Buffer.concat([head(6, 42), head(2, node.bytes.length + 1), Buffer.from([0]), node.bytes]);
  if (Array.isArray(node)) return Buffer.concat([head(4, node.length), ...node.map(cborOf)]);
  const entries = Object.entries(node);
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cborOf)]);
}

/** One bit of the last block differs. */
export const tampered = (blocks: readonly Block[]): Block[] =>
  blocks.map((block, index) => {
    if (index !== blocks.length - 1) return block;
    const bytes = Buffer.from(block.bytes);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    return { ...block, bytes };
  });

export interface GatewayRequest {
  /** `CID/path`, decoded. */
  readonly path: string;
  readonly isCar: boolean;
  readonly query: URLSearchParams;
}

export interface IpfsGateway {
  readonly url: string;
  readonly host: string;
  /** Those so far, oldest first. */
  readonly requests: readonly GatewayRequest[];
  /** How many were called off by their client before they were answered. */
  calledOff(): number;
  close(): Promise<void>;
}

export interface GatewayConduct {
  /** What it makes of a CAR's blocks; honest without it. */
  readonly blocks?: (blocks: readonly Block[]) => readonly Block[];
  /** What it makes of any body. */
  readonly body?: (body: Buffer, request: GatewayRequest) => Buffer;
  /** `ignore`: plain bytes in reply; a number: that status. */
  readonly car?: "give" | "ignore" | number;
  /** Waits for this before it answers. */
  readonly after?: (request: GatewayRequest) => Promise<unknown>;
  /** True if it answered by itself. */
  readonly own?: (request: GatewayRequest, response: ServerResponse) => boolean;
}

/** Listens on this machine. `conduct` is read at every request. */
export async function startIpfsGateway(blocks: Blocks, conduct: GatewayConduct = {}): Promise<IpfsGateway> {
  const requests: GatewayRequest[] = [];
  let calledOff = 0;

  async function answer(request: GatewayRequest, response: ServerResponse): Promise<void> {
    await conduct.after?.(request);
    if (conduct.own?.(request, response)) return;
    const { car = "give" } = conduct;
    if (request.isCar && typeof car === "number") return void response.writeHead(car).end();
    const isCar = request.isCar && car === "give";
    try {
      const body = isCar ? await carBody(request) : await plainBody(request.path);
      response.setHeader("content-type", isCar ? "application/vnd.ipld.car; version=1" : "application/json");
      response.setHeader("etag", `"${request.path}${isCar ? ".car" : ""}"`);
      response.end(conduct.body?.(body, request) ?? body);
    } catch {
      response.writeHead(404).end();
    }
  }

  async function carBody({ path }: GatewayRequest): Promise<Buffer> {
    const entity = await entityBlocks(blocks, path);
    return carOf(path.split("/")[0] ?? "", conduct.blocks?.(entity) ?? entity);
  }

  async function plainBody(path: string): Promise<Buffer> {
    const entry = await entryOf(blocks, path);
    if (entry.type !== "file" && entry.type !== "raw") throw new Error("no file");
    const parts: Uint8Array[] = [];
    for await (const part of entry.content()) parts.push(part);
    return Buffer.concat(parts);
  }

  const server = createServer((incoming: IncomingMessage, response) => {
    const { pathname, searchParams: query } = new URL(incoming.url ?? "", "http://gateway");
    const path = decodeURIComponent(pathname.slice("/ipfs/".length));
    const request = { path, isCar: query.get("format") === "car", query };
    requests.push(request);
    response.on("close", () => {
      if (!response.writableFinished) calledOff++;
    });
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    calledOff: () => calledOff,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
