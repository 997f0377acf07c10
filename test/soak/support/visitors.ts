/** Everything allowed without a key: GraphQL, pages, pictures, and what probes and tools read. */

import { getIntrospectionQuery } from "graphql";
import type { Random } from "../../support/random.ts";
import type { Answered } from "./client.ts";
import type { Subject } from "./rest.ts";
import type { Kind } from "./traffic.ts";

const TOKEN = /* GraphQL */ `
  query Token($address: String!, $id: String!) {
    token(tokenAddress: $address, tokenId: $id) {
      name owner traits { traitType value count percentage } lock { locked lockCount } image { status url }
    }
    erc721Token(tokenAddress: $address, tokenId: $id) { name transferHistory(from: 0, size: 5) { total results { from to } } }
  }`;
const PAGE = /* GraphQL */ `
  query Page($address: String!, $class: String!, $cursor: String) {
    searchTokens(tokenAddress: $address, criteria: [{ name: "Class", values: [$class] }], limit: 10, cursor: $cursor) {
      total nextCursor items { tokenId name }
    }
    traits(tokenAddress: $address) { total traits { traitType count } }
  }`;
const STATES = /* GraphQL */ `
  query States($after: String) {
    tokenStates(limit: 50, after: $after, orderBy: "tokenId") {
      items { tokenId owner lockCount }
      pageInfo { endCursor hasNextPage }
    }
  }`;
const BOOLEAN_REFRESH = /* GraphQL */ `
  mutation Refresh($address: String!, $id: String!) { refreshMetadata(tokenAddress: $address, tokenId: $id) }`;
const RECEIPT_REFRESH = /* GraphQL */ `
  mutation Request($address: String!, $ids: [String!]!) {
    requestMetadataRefresh(tokenAddress: $address, tokenIds: $ids) { id done }
  }`;

export function visitorKinds({ client, chainId, address, ids, accepted, images }: Subject): Kind[] {
  const graphql = (random: Random, query: string, variables: object = {}): Promise<Answered> =>
    client.ask(random, { path: "/graphql", body: { query, variables } });
  const anyId = (random: Random): string => String(random.pick(ids()));
  const html = { accept: "text/html" };
  const collection = `/collections/${chainId}/${address}`;

  return [
    {
      name: "graphql: ours",
      perSecond: 2,
      send: (random) =>
        random.chance(0.5)
          ? graphql(random, TOKEN, { address, id: anyId(random) })
          : graphql(random, PAGE, { address, class: random.pick(["Mage", "Bard", "Smith"]) }),
    },
    {
      name: "graphql: Ponder's",
      perSecond: 1,
      async send(random) {
        const first = await graphql(random, STATES);
        const after = first.json?.data?.tokenStates?.pageInfo?.endCursor;
        return first.fault || !after ? first : graphql(random, STATES, { after });
      },
    },
    {
      name: "graphql: refresh",
      perSecond: 0.5,
      async send(random) {
        if (random.chance(0.5)) return graphql(random, BOOLEAN_REFRESH, { address, id: anyId(random) });
        const answered = await graphql(random, RECEIPT_REFRESH, {
          address,
          ids: [anyId(random), anyId(random)],
        });
        const id = answered.json?.data?.requestMetadataRefresh?.id;
        if (id) accepted.push(id);
        return answered;
      },
    },
    {
      name: "graphql: never the same text",
      perSecond: 0.5,
      send: (random) =>
        graphql(
          random,
          `{ a${random.whole(1, 1e9)}: collections { name } ${random.chance(0.3) ? `nope${random.whole(1, 1e9)}` : ""} }`,
        ),
    },
    { name: "introspection", perSecond: 0.1, send: (random) => graphql(random, getIntrospectionQuery()) },
    {
      name: "page: collection",
      perSecond: 0.7,
      send(random) {
        const query = random.pick([
          "",
          "?q=hero",
          "?is:Class=Mage",
          "?from:Level=20&sort=updated",
          "?locked=true",
        ]);
        return client.ask(random, { path: `${collection}${query}`, headers: html });
      },
    },
    {
      name: "page: token",
      perSecond: 0.7,
      send: (random) => client.ask(random, { path: `${collection}/${anyId(random)}`, headers: html }),
    },
    {
      name: "pages: others",
      perSecond: 0.3,
      send: (random) =>
        client.ask(random, {
          path: random.pick(["/collections", "/console", "/reference", "/graphql", `/nope/${random.next()}`]),
          headers: html,
        }),
    },
    {
      name: "image",
      perSecond: 2,
      send(random) {
        const path = images.length > 0 ? random.pick(images) : `/media/images/${"0".repeat(64)}.png`;
        const hash = /([0-9a-f]{64})/.exec(path)?.[1] ?? "";
        const headers: Record<string, string> = random.chance(0.3) ? { "if-none-match": `"${hash}"` } : {};
        return client.ask(random, { path, headers });
      },
    },
    {
      name: "metrics, openapi, probes",
      perSecond: 1,
      send: (random) =>
        client.ask(random, {
          path: random.pick([
            "/metrics",
            "/openapi.json",
            "/freshness",
            "/livez",
            "/status",
            "/ready",
            "/health",
          ]),
        }),
    },
  ];
}
