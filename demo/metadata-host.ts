/** A metadata host on this machine: documents, pictures and pages, and control routes to change any document. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, type Document, documentOf, type Kind, toAnswer } from "./metadata/answer.ts";
import { createArtStore } from "./metadata/art-store.ts";
import { applyChange } from "./metadata/control.ts";
import { IPFS_CID, originalAnswer } from "./metadata/documents.ts";
import { FAULTS } from "./metadata/faults.ts";
import { IPFS_HERO } from "./metadata/heroes.ts";
import { playPage } from "./metadata/play-page.ts";

export type { Answer, Document, Kind } from "./metadata/answer.ts";
export { IPFS_CID } from "./metadata/documents.ts";
export { FAULTS } from "./metadata/faults.ts";

export type MetadataHostOptions = {
  /** A free port when absent. */
  port?: number;
  /** The base URL of pictures in documents, without a trailing slash; the host's own by default. */
  documentBaseUrl?: string;
};

export type TokenId = number | bigint | string;

export type MetadataHost = {
  url: string;
  /** The values for the ERC-721 contract's base URI and the ERC-1155 contract's template. */
  heroesBaseUri: string;
  itemsTemplateUri: string;
  /** The gateway that serves this host's `ipfs://` URLs, ending in a slash. */
  ipfsGateway: string;
  /** The one hero with an `ipfs://` URI, and that URI. */
  ipfsHero: { id: bigint; uri: string };
  /** How often each path was requested, by GET or HEAD, as the request spelled it. */
  requests: ReadonlyMap<string, number>;
  /** The path of a document, as it appears in `requests`. */
  path(kind: Kind, id: TokenId): string;
  /** The host's current answer. */
  get(kind: Kind, id: TokenId): Answer;
  /** Replaces an answer: a document, or `{ status, body, headers, delayMs }`. */
  set(kind: Kind, id: TokenId, value: Answer | Document): void;
  /** Changes top-level fields of a document; null removes one. Throws if the host serves none. */
  patch(kind: Kind, id: TokenId, fields: Document): Document;
  /** Restores the original answer of one token. */
  reset(kind: Kind, id: TokenId): void;
  close(): Promise<void>;
};

/** Starts the host on 127.0.0.1. */
export const startMetadataHost = async (options: MetadataHostOptions = {}): Promise<MetadataHost> => {
  const changed = new Map<string, Answer>();
  const requests = new Map<string, number>();
  const art = createArtStore();

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // A fault of this host must be visible; an unanswered request would look like a slow origin.
      send(response, { status: 500, body: { error: String(error) } });
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const base = options.documentBaseUrl ?? url;

  const host: MetadataHost = {
    url,
    heroesBaseUri: `${url}/heroes/`,
    itemsTemplateUri: `${url}/items/{id}.json`,
    ipfsGateway: `${url}/ipfs/`,
    ipfsHero: { id: BigInt(IPFS_HERO), uri: `ipfs://${IPFS_CID}/heroes/${IPFS_HERO}` },
    requests,
    path: (kind, id) => documentPath(kind, BigInt(id)),
    get: (kind, id) => changed.get(host.path(kind, id)) ?? originalAnswer(kind, BigInt(id), base),
    set: (kind, id, value) => void changed.set(host.path(kind, id), toAnswer(value)),
    patch(kind, id, fields) {
      const document = documentOf(host.get(kind, id));
      if (document === undefined) throw new Error(`${host.path(kind, id)} answers no document to change`);
      const merged = Object.entries({ ...document, ...fields }).filter(([, value]) => value !== null);
      const body = Object.fromEntries(merged);
      changed.set(host.path(kind, id), { ...host.get(kind, id), body });
      return body;
    },
    reset: (kind, id) => void changed.delete(host.path(kind, id)),
    async close() {
      server.close();
      // Clients' keep-alive connections would keep the server open.
      server.closeAllConnections();
      await once(server, "close");
    },
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead) requests.set(pathname, (requests.get(pathname) ?? 0) + 1);

    const target = locate(pathname.replace(`/ipfs/${IPFS_CID}/`, "/"));
    if (target?.type === "document" && !isRead)
      return send(response, await applyChange(host, request, target));
    if (!isRead) return send(response, { status: 405, headers: { allow: "GET, HEAD" } });
    const answer = await read(pathname, target);
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    send(response, answer);
  };

  const read = async (pathname: string, target: Target | undefined): Promise<Answer> => {
    if (pathname === "/") return { body: overview(host) };
    if (target?.type === "document") return host.get(target.kind, target.id);
    if (target?.type === "play") return { headers: HTML, body: playPage(target.kind, target.id) };
    const picture = target && (await art.get(target.kind, target.file));
    if (picture === undefined) return { status: 404, body: { error: `nothing at ${pathname}` } };
    return { headers: { "content-type": picture.contentType }, body: picture.bytes };
  };

  return host;
};

type Target =
  | { type: "document"; kind: Kind; id: bigint }
  | { type: "play"; kind: Kind; id: bigint }
  | { type: "art"; kind: Kind; file: string };

const HTML = { "content-type": "text/html; charset=utf-8" };

const documentPath = (kind: Kind, id: bigint): string =>
  kind === "heroes" ? `/heroes/${id}` : `/items/${id.toString(16).padStart(64, "0")}.json`;

// Upper-case hex is refused on purpose: ERC-1155 requires lower case, and a client that ignores it must notice.
const locate = (path: string): Target | undefined => {
  const hex = /^\/items\/([0-9a-f]{64})\.json$/.exec(path)?.[1];
  if (hex !== undefined) return { type: "document", kind: "items", id: BigInt(`0x${hex}`) };
  const [, page, kind, id] = /^(\/play)?\/(heroes|items)\/(\d{1,78})$/.exec(path) ?? [];
  if (id !== undefined) return { type: page ? "play" : "document", kind: kind as Kind, id: BigInt(id) };
  const [, artKind, file] = /^\/art\/(heroes|items)\/([^/]+)$/.exec(path) ?? [];
  return file === undefined ? undefined : { type: "art", kind: artKind as Kind, file };
};

const overview = (host: MetadataHost): Document => ({
  heroes: `${host.heroesBaseUri}{id}`,
  items: host.itemsTemplateUri,
  control: "PUT replaces a document, PATCH changes its fields, DELETE puts the original back",
  faults: FAULTS.map(({ kind, id, name, about }) => ({
    url: `${host.url}${host.path(kind, id)}`,
    name,
    about,
  })),
});

const send = (response: ServerResponse, { status = 200, headers = {}, body }: Answer): void => {
  const bytes =
    typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? null, null, 2);
  const isEmpty = body === undefined;
  response.writeHead(status, {
    "cache-control": "no-cache",
    ...(!isEmpty && { "content-type": "application/json" }),
    "content-length": isEmpty ? 0 : Buffer.byteLength(bytes),
    ...headers,
  });
  response.end(isEmpty ? undefined : bytes);
};
