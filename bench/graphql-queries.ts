/** The queries of the GraphQL bench: what clients query of Ponder's tables, from one row to a full page. */

export interface GraphqlQuery {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** One kind of query; `nth` makes requests differ. */
export type QueryKind = (nth: number) => GraphqlQuery;

export interface IndexedTokens {
  readonly chainId: number;
  /** In lower case. */
  readonly collection: string;
  /** Tokens 1 to this one exist. */
  readonly tokens: number;
}

const TOKEN_FIELDS = "tokenId owner burned lockCount mintedBlock lastLockChangeBlock";
const PAGE_FIELDS = "pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";

export function queryKinds({ chainId, collection, tokens }: IndexedTokens): Record<string, QueryKind> {
  const tokenId = (nth: number): string => String((nth % tokens) + 1);
  // Enough tokens follow it to fill a page.
  const before = (nth: number): string => String(nth % (tokens - 100));

  return {
    row: (nth) => ({
      query: `query ($chainId: Float!, $collection: String!, $tokenId: BigInt!) {
        tokenState(chainId: $chainId, collectionAddress: $collection, tokenId: $tokenId) { ${TOKEN_FIELDS} }
      }`,
      variables: { chainId, collection, tokenId: tokenId(nth) },
    }),

    page_50: (nth) => ({
      query: `query Page($where: tokenStateFilter, $limit: Int) {
        tokenStates(where: $where, orderBy: "tokenId", orderDirection: "asc", limit: $limit) {
          items { ${TOKEN_FIELDS} }
          ${PAGE_FIELDS}
        }
      }`,
      variables: { where: { chainId, collectionAddress: collection, tokenId_gt: before(nth) }, limit: 50 },
    }),

    page_1000: () => ({
      query:
        "{ metadataUpdates(limit: 1000) { items { id source fromTokenId toTokenId scope blockNumber transactionHash } } }",
    }),

    nested: (nth) => ({
      query: `query Nested($after: BigInt!, $until: BigInt!) {
        tokenStates(
          where: { AND: [{ chainId: ${chainId}, collectionAddress: "${collection}" }, { tokenId_gt: $after }, { OR: [{ tokenId_lt: $until }, { lockCount_gt: 0 }] }] }
          orderBy: "tokenId"
          limit: 10
        ) { ...Page }
      }
      fragment Page on tokenStatePage { items { ...Token } ${PAGE_FIELDS} }
      fragment Token on tokenState { ...Locks tokenId owner burned standard }
      fragment Locks on tokenState { lockCount lockedSinceBlock lastLockChangeBlock }`,
      variables: { after: before(nth), until: String((nth % (tokens - 100)) + 50) },
    }),

    several_fields: (nth) => ({
      query: `query Several($chainId: Float!, $collection: String!, $tokenId: BigInt!, $where: tokenStateFilter) {
        first: tokenState(chainId: $chainId, collectionAddress: $collection, tokenId: $tokenId) { ${TOKEN_FIELDS} }
        next: tokenStates(where: $where, orderBy: "tokenId", limit: 10) { items { ${TOKEN_FIELDS} } ${PAGE_FIELDS} }
        collectionState(chainId: $chainId, collectionAddress: $collection) { items owners }
      }`,
      variables: {
        chainId,
        collection,
        tokenId: tokenId(nth),
        where: { chainId, collectionAddress: collection, tokenId_gt: before(nth) },
      },
    }),

    // A cache by query text does not help here.
    every_text_new: (nth) => ({
      query: `{ # ${nth}
        tokenStates(where: { chainId: ${chainId}, collectionAddress: "${collection}", tokenId_gt: "${before(nth)}" }, orderBy: "tokenId", limit: 10) {
          items { ${TOKEN_FIELDS} }
          ${PAGE_FIELDS}
        }
      }`,
    }),
  };
}
