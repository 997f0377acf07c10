/** Learns the traits of tokens whose document was read before their first transfer was indexed. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import { lookUp } from "../../db/look-up.ts";
import type { Metadata } from "../document/normalise.ts";
import { settleTraitTypes } from "../traits/trait-type-store.ts";
import { internValues } from "../traits/trait-value-store.ts";
import { readDocuments, SMALL_METADATA, type StoredMetadata } from "./served-documents.ts";

const TOKENS_AT_ONCE = 100;

const key = "chain_id = $1 and collection = $2 and token_id = asked.id";

/** The media that a document names. */
export type NamedMedia = Pick<Metadata, "image" | "video" | "animation_url">;

type TokenDocument = { readonly tokenId: string; readonly metadata: Metadata };

/**
 * Call it in the transaction that makes these tokens seen; their traits count from its commit on. Returns the media that
 * their served documents name. Leaves out tokens that the transaction has hidden again.
 */
export async function learnServedTraits(
  tx: Queryable,
  collection: CollectionRef,
  tokenIds: readonly string[],
): Promise<NamedMedia[]> {
  const media: NamedMedia[] = [];
  for (let from = 0; from < tokenIds.length; from += TOKENS_AT_ONCE) {
    const rows = await tx.query<StoredMetadata & { tokenId: string }>(
      `select t.token_id as "tokenId", ${SMALL_METADATA} from unnest($3::numeric[]) asked(id)
        cross join ${lookUp("token_id, served_version, unseen", "vitrine.token", key)} t
         join vitrine.version v on v.id = t.served_version
        where v.metadata is not null and not t.unseen`,
      [collection.chainId, collection.collection, tokenIds.slice(from, from + TOKENS_AT_ONCE)],
    );
    for await (const page of readDocuments(tx, rows)) {
      await learn(
        tx,
        collection,
        page.map(({ row, document }) => ({ tokenId: row.tokenId, metadata: document })),
      );
      for (const { document } of page) {
        const { image, video, animation_url } = document;
        media.push({ image, video, animation_url });
      }
    }
  }
  return media;
}

async function learn(
  tx: Queryable,
  collection: CollectionRef,
  served: readonly TokenDocument[],
): Promise<void> {
  const traits = served.flatMap(({ metadata }) => metadata.traits);
  const types = await settleTraitTypes(tx, collection, traits);
  const idOf = await internValues(tx, types, traits);
  await tx.query(
    // Joined by the whole key: without statistics of a new collection, PostgreSQL expects it to have one token, and reads
    // all of it.
    `update vitrine.token t set traits = k.traits::int[], changed = pg_current_xact_id()
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[]) as k(chain_id, collection, token_id, traits)
      where (t.chain_id, t.collection, t.token_id) = (k.chain_id, k.collection, k.token_id)`,
    [
      served.map(() => collection.chainId),
      served.map(() => collection.collection),
      served.map(({ tokenId }) => tokenId),
      served.map((each) => {
        const ids = new Set(each.metadata.traits.flatMap((trait) => idOf(trait) ?? []));
        return `{${[...ids].sort((a, b) => a - b).join(",")}}`;
      }),
    ],
  );
}
