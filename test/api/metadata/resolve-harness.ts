/** Three real hosts and a resolver that may fetch from them; the first two are its IPFS gateways, in order. */

import type { ServerResponse } from "node:http";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import type { UriRead } from "../../../src/api/metadata/uri/read-uri.ts";
import { createResolve } from "../../../src/api/metadata/uri/resolve.ts";
import { startLocalServer } from "../../support/servers/local-server.ts";

export type HostAnswer = (response: ServerResponse, path: string) => void;

export const BLOCK = 7;
export const TOKEN = {
  chainId: 2020,
  collection: "0xabcdef0123456789abcdef0123456789abcdef01",
  tokenId: "314592",
};

export async function startResolveHarness() {
  /** Each host's answer; tests replace entries. */
  const answers: HostAnswer[] = [];
  const hosts = await Promise.all(
    // Like a gateway that gives no blocks, none of them heeds a query.
    [0, 1, 2].map((index) =>
      startLocalServer(({ url = "" }, response) => answers[index]?.(response, url.replace(/\?.*/, ""))),
    ),
  );
  const urlOf = (index: number): string => hosts[index]?.url ?? "";

  const gateways = [urlOf(0), urlOf(1)];

  /** Resolves the token as if its contract had answered `read`. */
  const resolveRead = (read: UriRead, signal?: AbortSignal, isPrivate = false) =>
    createResolve({
      readUri: async () => read,
      fetch: createGuardedFetch(new Set(isPrivate ? [] : hosts.map(({ host }) => host)), "test"),
      fetchFromGateway: createGuardedFetch(new Set(isPrivate ? [] : hosts.map(({ host }) => host)), "test", {
        gateways,
      }),
      gateways,
    })(TOKEN, undefined, BLOCK, { signal });

  /** One resolver for several fetches, which remembers its gateways' health. */
  const createResolver = () => {
    let read: UriRead;
    const resolve = createResolve({
      readUri: async () => read,
      fetch: createGuardedFetch(new Set(hosts.map(({ host }) => host)), "test"),
      fetchFromGateway: createGuardedFetch(new Set(hosts.map(({ host }) => host)), "test"),
      gateways,
    });
    return (uri: string, signal?: AbortSignal) => {
      read = { kind: "read", uri, standard: "erc721" };
      return resolve(TOKEN, undefined, BLOCK, { signal });
    };
  };

  return {
    answers,
    createResolver,
    urlOf,
    resolveRead,
    resolveUri: (uri: string, standard: "erc721" | "erc1155" = "erc721", signal?: AbortSignal) =>
      resolveRead({ kind: "read", uri, standard }, signal),
    /** The same with only gateways allowed on private addresses, as in production. */
    resolveGuarded: (uri: string) => resolveRead({ kind: "read", uri, standard: "erc721" }, undefined, true),
    /** How many requests each host has had. */
    asked: () => hosts.map(({ requests }) => requests.length),
    close: () => Promise.all(hosts.map((host) => host.close())),
  };
}

export type ResolveHarness = Awaited<ReturnType<typeof startResolveHarness>>;
