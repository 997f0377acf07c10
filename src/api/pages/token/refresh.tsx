/** The refresh button of a token's page: an anonymous request, its progress, and its result. */

import type { CollectionConfig } from "../../../config.ts";
import type { TokenStatus } from "../../refresh/receipts/receipts.ts";
import { refusalOf } from "../../refresh/rules.ts";
import { isUuid } from "../../text/uuid.ts";
import { Button } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { collectionOf, type PagesContext, type Site, tokenIdOf, tokenPath } from "../env.ts";
import { Reason } from "../reason.tsx";

// Anyone who knows the id may read such a receipt, as with anonymous GraphQL callers.
const OWNER = "anonymous";

/** What a page shows of a refresh. */
export interface RefreshProgress {
  readonly id: string;
  readonly status: TokenStatus;
  readonly reason: string | null;
  /** Of a failed refresh: whether a version from before is served. */
  readonly hasMetadata: boolean;
}

/** Enqueues a refresh as the anonymous GraphQL mutation does, and redirects to the page that follows it. */
export async function requestRefresh(site: Site, c: PagesContext): Promise<Response> {
  const collection = await collectionOf(site, c);
  const tokenId = tokenIdOf(c);
  const { receiptId, tokens } = await site.refresh.request(collection, [tokenId], {
    trigger: "page",
    client: site.rateLimits.clientAddress(c),
    receiptFor: OWNER,
    requestId: c.get("requestId"),
  });
  if (!receiptId) throw refusalOf(tokens, () => "token_id", 404);
  const { chainId, address } = collection;
  const path = tokenPath({ chain_id: chainId, collection_address: address, token_id: tokenId });
  return c.redirect(site.to(`${path}?refresh=${receiptId}#refresh`), 303);
}

/** The refresh in the URL, if it belongs to this token. */
export async function readProgress(
  { refresh, catalogModule }: Site,
  collection: CollectionConfig,
  id: string | undefined,
  tokenId: string,
): Promise<RefreshProgress | undefined> {
  if (id === undefined || !isUuid(id)) return undefined;
  const receipt = await refresh.findReceiptOf(collection, id, OWNER);
  const entry = receipt?.tokens.find((each) => each.token_id === tokenId);
  if (!entry) return undefined;
  const { status, reason } = entry;
  const [token] = status === "failed" ? await catalogModule.catalog.listTokens(collection, [tokenId]) : [];
  return { id, status, reason, hasMetadata: (token?.metadata.version ?? null) !== null };
}

const isOpen = (status: TokenStatus): boolean => status === "queued" || status === "fetching";

const STEPS = ["queued", "reading", "done"] as const;
const isFault = (status: TokenStatus): boolean => status === "failed" || status === "not_found";

/** A refresh that failed is over, and its last step says so. */
const stepClass = (status: TokenStatus, at: number): string | undefined => {
  if (at >= stepOf(status)) return undefined;
  return isFault(status) && at === STEPS.length - 1 ? "past fault" : "past";
};
const stepOf = (status: TokenStatus): number => ["queued", "fetching"].indexOf(status) + 1 || STEPS.length;

interface RefreshProps {
  readonly site: Site;
  readonly path: string;
  readonly progress: RefreshProgress | undefined;
  /** Nothing is read of a burned token. */
  readonly isOffered?: boolean;
}

export const Refresh = ({ site, path, progress, isOffered = true }: RefreshProps) => {
  const { refresh: text } = words();
  const open = progress !== undefined && isOpen(progress.status);
  return (
    <div
      id="refresh"
      class="refresh"
      data-state={progress ? (open ? "open" : "done") : "idle"}
      hidden={!isOffered}
    >
      <form method="post" action={site.to(`${path}/refresh`)}>
        <Button id="ask">{text.ask}</Button>
      </form>
      <div id="steps">
        {progress && (
          <ol class="steps" aria-label={text.progress}>
            {STEPS.map((step, at) => (
              <li
                class={stepClass(progress.status, at)}
                aria-current={at === stepOf(progress.status) - 1 ? "step" : undefined}
              >
                {text.steps[step === "done" && isFault(progress.status) ? "failed" : step]}
              </li>
            ))}
          </ol>
        )}
      </div>
      <p id="said" role="status" data-refused={text.refused} data-unreachable={text.unreachable}>
        {progress && text[progress.status]}
        {progress?.status === "failed" && progress.hasMetadata && ` ${text.stays}`}
        {progress?.reason && (
          <>
            {" "}
            <span class="soft">
              <Reason text={progress.reason} />
            </span>
          </>
        )}
      </p>
      {open && (
        <noscript>
          {/* A link with a fragment would stay on the current page and send no request. */}
          <a href={site.to(`${path}?refresh=${progress.id}`)}>{text.again}</a>
        </noscript>
      )}
    </div>
  );
};
