/** Reports for partners: on a token as served, and on a document before publication. */

import type { CollectionConfig } from "../../../config.ts";
import type { Fetching } from "../../fetch/fetching.ts";
import type { CheckedFields } from "../../media/checks/checked-media.ts";
import type { Allowlist } from "../../media/display/allowlist.ts";
import type { Ends } from "../../media/display/display.ts";
import type { ExamineMedia } from "../../media/probes/examine-media.ts";
import { skipped } from "../../media/rules.ts";
import type { MediaService } from "../../media/service.ts";
import type { Examined, HandedOver } from "../../metadata/document/examine.ts";
import { examineDocument, examineUri, readPaced } from "../../metadata/module.ts";
import type { ReportStore, VersionPage } from "../../metadata/records/report-store.ts";
import type { Catalog } from "../service.ts";
import type { TokenView } from "../tokens/token-view.ts";
import { type DocumentReport, mediaOf, reportOn } from "./document-report.ts";

export interface ReportDeps {
  readonly catalog: Catalog;
  readonly allowlist: Allowlist;
  readonly store: ReportStore;
  readonly fetching: Fetching;
  readonly media: Pick<MediaService, "readAll">;
  readonly examineMedia: ExamineMedia;
  /** Contact for partners, named in issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

export interface TokenHistory extends VersionPage {
  readonly token: TokenView;
  readonly media: CheckedFields;
  /** Where its animation and its video lead, if that is another host. */
  readonly ends: Ends;
  readonly servedUri: string | null;
}

export function createReports(deps: ReportDeps) {
  const { catalog, allowlist, store, fetching, media, examineMedia, operatorContact } = deps;
  async function report(
    examined: Examined,
    collection?: CollectionConfig,
    signal?: AbortSignal,
  ): Promise<DocumentReport> {
    const traits = examined.metadata?.traits ?? [];
    const [found, isAllowed, known] = await Promise.all([
      examineMedia(mediaOf(examined), signal),
      collection ? allowlist.forCollection(collection.chainId, collection.address) : allowlist.forAll(),
      collection ? store.displayTypes(collection.chainId, collection.address, traits) : new Map(),
    ]);
    return reportOn(examined, found, { gateways: fetching.gateways, isAllowed, known, operatorContact });
  }

  return {
    /** The token and a page of its versions; undefined until a transfer of it is indexed. */
    async ofToken(
      collection: CollectionConfig,
      tokenId: string,
      page: { readonly limit: number; readonly before: number | undefined },
    ): Promise<TokenHistory | undefined> {
      const ref = { chainId: collection.chainId, collection: collection.address, tokenId };
      const [token, source, versions] = await Promise.all([
        catalog.findToken(collection, tokenId),
        store.servedSource(ref),
        store.versions(ref, page.limit, page.before),
      ]);
      if (!token) return undefined;
      const [shown] = await media.readAll([source]);
      const { image = skipped(), video = skipped(), animation_url = skipped() } = shown?.checked ?? {};
      const checked = { image, video, animation_url };
      return { token, media: checked, ends: shown?.ends ?? {}, servedUri: source.uri, ...versions };
    },

    /**
     * What a refresh would read from a document and the media it names, which are fetched. A collection adds its
     * allowed hosts and known display types. Stores nothing.
     */
    ofDocument: async (
      handedOver: HandedOver,
      collection?: CollectionConfig,
      signal?: AbortSignal,
    ): Promise<DocumentReport> =>
      report(
        await readPaced(handedOver.bytes, () => examineDocument(handedOver), signal),
        collection,
        signal,
      ),

    /** The same for the document at a URI now; the report includes a failed fetch. */
    ofUri: async (
      uri: string,
      tokenId: string | undefined,
      collection?: CollectionConfig,
      signal?: AbortSignal,
    ): Promise<DocumentReport> =>
      report(await examineUri(fetching, uri, tokenId, signal), collection, signal),
  };
}

export type Reports = ReturnType<typeof createReports>;
