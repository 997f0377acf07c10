/** The Health tab: how many tokens of an app's collection have which problem, and which tokens they are. */

import { Hono } from "hono";
import type { CollectionConfig } from "../../../config.ts";
import { collectionKey, parseTokenId } from "../../../domain/token-ref.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import type { DocumentRead } from "../../catalog/contract/contract-store.ts";
import type { Affected, After, HealthCounts } from "../../catalog/health/health-store.ts";
import { causeKinds, healthExportFormats, healthExportOf, healthExportTypes } from "../../catalog/module.ts";
import { ApiError } from "../../http/errors.ts";
import { untilClosed } from "../../http/server/cut.ts";
import { isUuid } from "../../text/uuid.ts";
import { formatNumber as count } from "../../ui/numbers.ts";
import { Badge, Card, Empty, Facts, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { appOf, type ConsoleContext, type ConsoleEnv, formOf, requirePartner, type Site } from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import {
  findRefresh,
  type Place,
  RefreshCard,
  RefreshListed,
  type Refusal,
  refreshTokens,
  refusalOfRunning,
} from "./health-refresh.tsx";

const TOKENS_PER_PAGE = 50;

const titleOf = (collection: CollectionConfig): string => collection.name ?? collectionKey(collection);

const heldBy = (site: Site, app: AppRow): readonly CollectionConfig[] =>
  site.collections.all.filter((each) => !app.collections || app.collections.includes(collectionKey(each)));

/** The collection that a request names, or the app's first; throws NOT_FOUND for one that the app does not hold. */
function chosen(site: Site, app: AppRow, name: string | undefined): CollectionConfig | undefined {
  const held = heldBy(site, app);
  if (name === undefined) return held[0];
  const collection = held.find((each) => collectionKey(each) === name);
  if (!collection) throw new ApiError("NOT_FOUND");
  return collection;
}

/** A code; throws INVALID_REQUEST for anything else. */
function causeOf(c: ConsoleContext): string | undefined {
  const cause = c.req.query("cause");
  if (cause === undefined || /^[a-z][a-z0-9_]{0,63}$/.test(cause)) return cause;
  throw new ApiError("INVALID_REQUEST", [{ path: "cause", message: "must be the code of an issue" }]);
}

/** Undefined for the first page, and for anything that no page links to. */
function afterOf(text: string | undefined): After | undefined {
  const [tokenId = "", named] = text?.split(" ") ?? [];
  const kind = causeKinds.find((each) => each === named);
  return kind && parseTokenId(tokenId) !== undefined ? { tokenId, kind } : undefined;
}

const hrefOf = ({ site, app, collection }: Place, path = "", query: Record<string, string> = {}): string =>
  site.to(
    `${pathOf(app, "/health")}${path}?${new URLSearchParams({ collection: collectionKey(collection), ...query })}`,
  );
const tokenHref = ({ site, collection }: Place, tokenId: string): string =>
  site.to(`/collections/${collection.chainId}/${collection.address}/${tokenId}`);

const Collections = ({ site, app, collection }: Place) => {
  const text = words().consoleApp.health;
  return (
    <Card title={text.collections}>
      <Table
        caption={text.collections}
        columns={[text.columns.collection, text.columns.address]}
        rows={heldBy(site, app).map((each) => [
          <a
            href={hrefOf({ site, app, collection: each })}
            aria-current={each === collection ? "page" : undefined}
          >
            {titleOf(each)}
          </a>,
          <code>{collectionKey(each)}</code>,
        ])}
      />
    </Card>
  );
};

const ContractDocument = ({ document }: { document: DocumentRead | undefined }) => {
  const text = words().consoleApp.health;
  if (!document) return text.notRead;
  if (document.uri === null) return text.noDocument;
  return (
    <>
      {document.uri}
      {document.reason !== null && (
        <>
          <br />
          <Badge tone="bad">{text.notUsed}</Badge> {document.reason}
        </>
      )}
    </>
  );
};

const Counts = ({
  counts,
  document,
  ...place
}: Place & { counts: HealthCounts; document: DocumentRead | undefined }) => {
  const text = words().consoleApp.health;
  const failed = counts.causes
    .filter(({ kind }) => kind === "read")
    .reduce((sum, each) => sum + each.count, 0);
  return (
    <Card title={titleOf(place.collection)} hint={text.counted}>
      <Facts
        rows={[
          [text.tokens, count(counts.tokens)],
          [text.current, count(Math.max(0, counts.tokens - failed - counts.unread))],
          [text.failed, count(failed)],
          [text.unread, count(counts.unread)],
          [text.rejectedImages, count(counts.rejectedImages)],
          [text.contractDocument, <ContractDocument document={document} />],
        ]}
      />
      <Table
        empty={text.none}
        caption={text.byCause}
        columns={[
          text.columns.cause,
          text.columns.found,
          { head: text.columns.tokens, isNumber: true },
          text.columns.examples,
        ]}
        rows={counts.causes.map(({ code, kind, count: tokens, examples }) => [
          <a href={hrefOf(place, "", { cause: code })}>
            <code>{code}</code>
          </a>,
          <Badge tone={kind === "read" || kind === "image" ? "bad" : "warn"}>{text.found[kind]}</Badge>,
          count(tokens),
          examples.map((tokenId) => (
            <>
              <a href={tokenHref(place, tokenId)}>{tokenId}</a>{" "}
            </>
          )),
        ])}
      />
    </Card>
  );
};

const Tokens = ({ cause, tokens, ...place }: Place & { cause: string; tokens: readonly Affected[] }) => {
  const text = words().consoleApp.health;
  const page = tokens.slice(0, TOKENS_PER_PAGE);
  const last = tokens.length > TOKENS_PER_PAGE ? page.at(-1) : undefined;
  return (
    <Card title={text.tokensWith(cause)}>
      <p>
        {healthExportFormats.map((format) => (
          <>
            <a class="button" href={hrefOf(place, "/export", { cause, format })}>
              {text.export[format]}
            </a>{" "}
          </>
        ))}
      </p>
      <RefreshListed {...place} tokenIds={page.map(({ tokenId }) => tokenId)} />
      <Table
        empty={text.noToken}
        caption={text.tokensWith(cause)}
        columns={[text.columns.token, text.columns.found, text.columns.reason]}
        rows={page.map(({ tokenId, kind, reason }) => [
          <a href={tokenHref(place, tokenId)}>{tokenId}</a>,
          text.found[kind],
          reason,
        ])}
      />
      {last && (
        <a class="button" href={hrefOf(place, "", { cause, after: `${last.tokenId} ${last.kind}` })}>
          {text.next}
        </a>
      )}
    </Card>
  );
};

export function healthPages(site: Site): Hono<ConsoleEnv> {
  const { collectionHealth, collectionRequests } = site;

  async function show(
    c: ConsoleContext,
    app: AppRow,
    collection: CollectionConfig | undefined,
    refusal?: Refusal,
  ) {
    const text = words().consoleApp.health;
    const cause = causeOf(c);
    const options = {
      title: text.title(app.name),
      scripts: ["live.js"],
      ...(refusal &&
        collection && {
          status: refusal.kind === "tokens" ? (400 as const) : (409 as const),
          liveUrl: hrefOf({ site, app, collection }),
        }),
    };
    if (!collection)
      return render(
        site,
        c,
        options,
        <AppFrame site={site} app={app} tab="/health">
          <Empty>{text.noCollection}</Empty>
        </AppFrame>,
      );
    const place = { site, app, collection };
    const [counts, document, tokens, found] = await Promise.all([
      collectionHealth.read(collection),
      collectionHealth.readContractDocument(collection),
      cause === undefined
        ? undefined
        : collectionHealth.list(collection, cause, afterOf(c.req.query("after")), TOKENS_PER_PAGE + 1),
      findRefresh(place, c.req.query("refresh")),
    ]);
    return render(
      site,
      c,
      options,
      <AppFrame site={site} app={app} tab="/health">
        <Counts {...place} counts={counts} document={document} />
        {cause !== undefined && tokens && <Tokens {...place} cause={cause} tokens={tokens} />}
        <RefreshCard {...place} found={found} refusal={refusal} />
        {heldBy(site, app).length > 1 && <Collections {...place} />}
      </AppFrame>,
    );
  }

  /** The place that a form names; throws NOT_ALLOWED for an app that may not refresh. */
  async function placeOf(c: ConsoleContext) {
    const app = await appOf(site, c);
    const fields = await formOf(c);
    const collection = chosen(site, app, fields.collection);
    if (!collection) throw new ApiError("NOT_FOUND");
    requirePartner(app);
    return { place: { site, app, collection }, fields };
  }

  return new Hono<ConsoleEnv>()
    .get("/apps/:app/health", async (c) => {
      const app = await appOf(site, c);
      return show(c, app, chosen(site, app, c.req.query("collection")));
    })
    .post("/apps/:app/health/refresh", async (c) => {
      const { place, fields } = await placeOf(c);
      const text = fields.token_ids ?? "";
      try {
        const refresh = await refreshTokens(place, text, c.get("requestId"));
        return c.redirect(hrefOf(place, "", { refresh, done: "refresh_started" }), 303);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error;
        const message = error.details[0]?.message ?? error.message;
        return show(c, place.app, place.collection, { kind: "tokens", text, message });
      }
    })
    .post("/apps/:app/health/refresh-collection", async (c) => {
      const { place } = await placeOf(c);
      const { collection, app } = place;
      try {
        const refresh = await collectionRequests.request(collection, app.id, c.get("requestId"));
        return c.redirect(hrefOf(place, "", { refresh, done: "refresh_started" }), 303);
      } catch (error) {
        const refusal = refusalOfRunning(error);
        if (!refusal) throw error;
        return show(c, app, collection, refusal);
      }
    })
    .post("/apps/:app/health/cancel", async (c) => {
      const { place, fields } = await placeOf(c);
      const refresh = fields.refresh ?? "";
      if (!isUuid(refresh) || !(await collectionRequests.cancel(refresh, place.app.id)))
        throw new ApiError("NOT_FOUND");
      return c.redirect(hrefOf(place, "", { refresh, done: "refresh_cancelled" }), 303);
    })
    .get("/apps/:app/health/export", async (c) => {
      const app = await appOf(site, c);
      const collection = chosen(site, app, c.req.query("collection"));
      const cause = causeOf(c);
      const format = healthExportFormats.find((each) => each === c.req.query("format"));
      if (!collection || cause === undefined || !format) throw new ApiError("NOT_FOUND");
      const { chainId, address } = collection;
      const body = healthExportOf(format, cause, collectionHealth.listAll(collection, cause));
      return c.body(untilClosed(c, body), 200, {
        "Content-Type": healthExportTypes[format],
        "Content-Disposition": `attachment; filename="health-${chainId}-${address}-${cause}.${format}"`,
      });
    });
}
