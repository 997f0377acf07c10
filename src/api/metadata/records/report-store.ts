/** SQL for reports: a token's history and a collection's known display types. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import type { Issue } from "../document/issues.ts";
import type { Metadata } from "../document/normalise.ts";
import type { Trait } from "../document/traits.ts";
import type { DisplayTypes } from "../traits/display-types.ts";
import { readDisplayTypes } from "../traits/trait-type-store.ts";

export interface Version {
  readonly number: number;
  readonly trigger: string;
  readonly outcome: "updated" | "rejected" | "failed";
  readonly reason: string | null;
  readonly uri: string | null;
  readonly readBlock: number | null;
  readonly contentHash: string | null;
  /** The version of the rules that last read the document. */
  readonly normaliser: number;
  readonly durationMs: number;
  readonly fetchedAt: Date;
  /** The last fetch that found the same document again, and the number of such fetches. */
  readonly confirmedAt: Date | null;
  readonly confirmations: number;
  readonly issues: readonly Issue[];
}

export interface VersionPage {
  readonly versions: readonly Version[];
  /** The `before` of the next page; undefined on the last page. */
  readonly next: number | undefined;
}

export interface ServedSource extends Pick<Metadata, "image" | "video" | "animation_url"> {
  readonly uri: string | null;
}

type VersionRow = Omit<Version, "readBlock" | "issues"> & {
  readonly readBlock: string | null;
  readonly issues: string;
};

export const createReportStore = (database: Queryable) => ({
  /** At most `limit` versions with a number below `before`, newest first. Unknown tokens have none. */
  async versions(token: TokenRef, limit: number, before?: number): Promise<VersionPage> {
    const rows = await database.query<VersionRow>(
      `select number, trigger, outcome, reason, uri, read_block as "readBlock", content_hash as "contentHash", normaliser,
              duration_ms as "durationMs", fetched_at as "fetchedAt", issues,
              greatest(t.confirmed_at, v.confirmed_at) as "confirmedAt",
              v.confirmations + coalesce(t.confirmations, 0) as confirmations
         from vitrine.version v
         left join lateral (
           select t.confirmations, t.confirmed_at from vitrine.token t
            where (t.chain_id, t.collection, t.token_id, t.served_version) = (v.chain_id, v.collection, v.token_id, v.id)) t on true
        where v.chain_id = $1 and v.collection = $2 and v.token_id = $3 and ($4::int is null or v.number < $4)
        order by number desc limit $5`,
      [token.chainId, token.collection, token.tokenId, before ?? null, limit + 1],
      "read versions",
    );
    const versions = rows.slice(0, limit).map((row) => ({
      ...row,
      readBlock: row.readBlock === null ? null : Number(row.readBlock),
      issues: JSON.parse(row.issues) as Issue[],
    }));
    return { versions, next: rows.length > limit ? versions.at(-1)?.number : undefined };
  },

  /** The URI of the served document, and the media that it names; null where there is none. */
  async servedSource(token: TokenRef): Promise<ServedSource> {
    const [row] = await database.query<{ uri: string | null; metadata: string | null }>(
      `select v.uri, v.metadata from vitrine.token t join vitrine.version v on v.id = t.served_version
        where t.chain_id = $1 and t.collection = $2 and t.token_id = $3`,
      [token.chainId, token.collection, token.tokenId],
      "read served source",
    );
    const {
      image = null,
      video = null,
      animation_url = null,
    } = row?.metadata ? (JSON.parse(row.metadata) as Metadata) : {};
    return { uri: row?.uri ?? null, image, video, animation_url };
  },

  /** The known display types of these entries' trait types; adds none. */
  displayTypes: (chainId: number, collection: string, traits: readonly Trait[]): Promise<DisplayTypes> =>
    readDisplayTypes(database, { chainId, collection }, traits),
});

export type ReportStore = ReturnType<typeof createReportStore>;
