/** The tabs that the GraphQL explorer opens with: queries that work on what this service serves. */

import type { CollectionConfig } from "../../config.ts";
import { words } from "../ui/visitor.ts";

export interface ExplorerTab {
  readonly query: string;
  /** JSON. */
  readonly variables: string;
  /** JSON. */
  readonly headers?: string;
}

const collectionsQuery = `
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

const lockedQuery = `
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

const refreshQuery = `
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

/** A query under a comment in the visitor's language. */
const commented = (comment: string, query: string): string => `# ${comment}\n${query}`;

/** The variables are of the first collection; without one, its address is left to fill in. */
export function explorerTabs([first]: readonly Pick<
  CollectionConfig,
  "chainId" | "address"
>[]): ExplorerTab[] {
  const named = { tokenAddress: first?.address ?? "0x", chainId: first?.chainId };
  const { comments } = words().tools.explorer;
  const json = (value: object): string => JSON.stringify(value, undefined, 2);
  return [
    { query: commented(comments.collections, collectionsQuery), variables: "" },
    { query: commented(comments.locked, lockedQuery), variables: json(named) },
    {
      query: commented(comments.refresh, refreshQuery),
      variables: json({ ...named, tokenIds: ["1"] }),
      headers: json({ "X-API-Key": "" }),
    },
  ];
}
