/** The tabs that the GraphQL explorer opens with: queries that work on what this service serves. */

import type { CollectionConfig } from "../../config.ts";

export interface ExplorerTab {
  readonly query: string;
  /** JSON. */
  readonly variables: string;
  /** JSON. */
  readonly headers?: string;
}

const collectionsQuery = `# Vitrine's own queries and Ponder's, in one schema. Ctrl+Enter runs what is under the cursor.

query Collections {
  collections {
    chainId
    collectionAddress
    slug
    name
    items
    owners
  }
}
`;

const lockedQuery = `# Locked tokens can't be traded. \`lock\` says what holds them.

query LockedToken($tokenAddress: String!, $chainId: Float) {
  searchTokens(tokenAddress: $tokenAddress, chainId: $chainId, locked: true, limit: 1) {
    total
    items {
      tokenId
      owner
      tradable
      lock {
        locked
        lockCount
        standards
      }
    }
  }
}
`;

const refreshQuery = `# Needs the key of an app that may refresh: write it into the headers below.

mutation Refresh($tokenAddress: String!, $tokenIds: [String!]!, $chainId: Float) {
  requestMetadataRefresh(tokenAddress: $tokenAddress, tokenIds: $tokenIds, chainId: $chainId) {
    id
    done
    tokens {
      tokenId
      status
    }
  }
}
`;

/** The variables are of the first collection; without one, its address is left to fill in. */
export function explorerTabs([first]: readonly Pick<
  CollectionConfig,
  "chainId" | "address"
>[]): ExplorerTab[] {
  const named = { tokenAddress: first?.address ?? "0x", chainId: first?.chainId };
  const json = (value: object): string => JSON.stringify(value, undefined, 2);
  return [
    { query: collectionsQuery, variables: "" },
    { query: lockedQuery, variables: json(named) },
    {
      query: refreshQuery,
      variables: json({ ...named, tokenIds: ["1"] }),
      headers: json({ "X-API-Key": "" }),
    },
  ];
}
