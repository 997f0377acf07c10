/** The Collections tab: the information of an app's collections, edited in a form with a preview of the page. */

import { Hono } from "hono";
import type { CollectionConfig } from "../../../config.ts";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { InformationView } from "../../catalog/information/information-schema.ts";
import { groupTraits, viewCollections } from "../../catalog/module.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { ApiError, type ErrorDetail } from "../../http/errors.ts";
import { CollectionPreview, PREVIEW_STYLE, previewSources } from "../../pages/module.ts";
import { Card, Notice, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import {
  appOf,
  type ConsoleContext,
  type ConsoleEnv,
  goTo,
  requirePartner,
  type Site,
  signedIn,
} from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import { collectionsOf } from "./content-request-parts.tsx";
import {
  changeGroups,
  type FormState,
  hasLineBreaks,
  InformationForm,
  parseState,
  readForm,
  stateOf,
} from "./information-form.tsx";

const SAMPLE_MS = 2_000;

const titleOf = (collection: CollectionConfig, information: InformationView | null | undefined): string =>
  information?.name ?? collection.name ?? words().consoleApp.collections.unnamed;

/** A token to show the groups on: the first by its id; undefined if none is found in time. */
async function sampleOf(site: Site, collection: CollectionConfig): Promise<TokenView | undefined> {
  const page = await withTimeout(
    SAMPLE_MS,
    site.search.page(collection, {
      filter: { criteria: [], ranges: [] },
      sort: { by: "id", descending: false },
      limit: 1,
    }),
  );
  const { items } = await site.catalog.findTokens(collection, page?.tokenIds ?? []);
  return items[0];
}

export function collectionPages(site: Site): Hono<ConsoleEnv> {
  const at = "/apps/:app/collections/:chain/:address";
  const formPath = (app: AppRow, { chainId, address }: CollectionConfig): string =>
    `${pathOf(app, "/collections")}/${chainId}/${address}`;

  async function read(c: ConsoleContext) {
    const app = await appOf(site, c);
    const collection = collectionsOf(site, app).find(
      ({ chainId, address }) =>
        String(chainId) === c.req.param("chain") && address === c.req.param("address"),
    );
    if (!collection) throw new ApiError("NOT_FOUND");
    const [information = null] = await site.information.readAll([collection]);
    return { app, collection, information };
  }

  async function preview(collection: CollectionConfig, information: InformationView) {
    const [views, token] = await Promise.all([
      viewCollections({ ...site, information: { readAll: async () => [information] } }, [collection]),
      sampleOf(site, collection),
    ]);
    const [view] = views;
    if (!view) throw new Error("a view for each collection");
    const property_groups = token
      ? groupTraits(token.traits, information.trait_groups).map(({ category, traits }) => ({
          category,
          traits: [...traits],
        }))
      : [];
    return { view, token: token && { ...token, property_groups } };
  }

  async function show(
    c: ConsoleContext,
    { app, collection, information }: Awaited<ReturnType<typeof read>>,
    state: FormState,
    problems: { readonly details?: readonly ErrorDetail[]; readonly text?: string } = {},
  ) {
    const text = words().consoleApp.collections;
    const details = problems.details ?? [];
    const parsed = parseState(state);
    const shown =
      parsed.kind === "valid"
        ? await preview(collection, {
            ...parsed.information,
            updated_at: state.version || new Date().toISOString(),
          })
        : undefined;
    const notices =
      parsed.kind === "valid"
        ? await site.information.noticesOf(collection, parsed.information.trait_groups)
        : [];
    if (shown) c.set("sources", previewSources(shown.view));
    const isRefused = details.length > 0 || problems.text !== undefined;
    return render(
      site,
      c,
      {
        title: text.informationOf(titleOf(collection, information)),
        scripts: ["groups.js"],
        styles: [PREVIEW_STYLE],
        status: isRefused ? 400 : 200,
      },
      <AppFrame site={site} app={app} tab="/collections">
        {problems.text && <Notice tone="bad">{problems.text}</Notice>}
        {details.length > 0 && (
          <Notice tone="bad">
            {text.notSaved(
              details.map(({ path, message }) => `${path ? `${path} ` : ""}${message}`).join("; "),
            )}
          </Notice>
        )}
        <Card title={text.information} hint={<code>{collectionKey(collection)}</code>}>
          {!app.apis.includes("market-partner") ? (
            <Notice tone="warn">{text.notAllowed}</Notice>
          ) : hasLineBreaks(information) ? (
            <Notice tone="warn">{text.lineBreaks}</Notice>
          ) : (
            <InformationForm action={site.to(formPath(app, collection))} state={state} details={details} />
          )}
        </Card>
        <div id="preview">
          <Card title={text.preview} hint={text.previewHint}>
            {notices.map(({ message }) => (
              <Notice tone="warn">{`${message}.`}</Notice>
            ))}
            {shown ? (
              <CollectionPreview to={site.to} view={shown.view} token={shown.token} />
            ) : (
              <p class="soft">{text.noPreview}</p>
            )}
          </Card>
        </div>
      </AppFrame>,
    );
  }

  /** Nothing was saved; what was typed is saved over the record as it is now if it is sent again. */
  async function showChanged(c: ConsoleContext, state: FormState) {
    const found = await read(c);
    const text = words().consoleApp.collections.changedSince;
    return show(c, found, { ...state, version: found.information?.updated_at ?? "" }, { text });
  }

  return new Hono<ConsoleEnv>()
    .get("/apps/:app/collections", async (c) => {
      const text = words().consoleApp.collections;
      const app = await appOf(site, c);
      const collections = collectionsOf(site, app);
      const information = await site.information.readAll(collections);
      return render(
        site,
        c,
        { title: text.title(app.name) },
        <AppFrame site={site} app={app} tab="/collections">
          <Card title={text.card} hint={text.hint}>
            <Table
              empty={text.none}
              caption={text.caption}
              columns={[text.columns.collection, text.columns.address, text.columns.information, ""]}
              rows={collections.map((collection, index) => {
                const own = information[index];
                return [
                  titleOf(collection, own),
                  <code>{collectionKey(collection)}</code>,
                  own ? <When at={new Date(own.updated_at)} /> : text.noInformation,
                  <a class="button slim" href={site.to(formPath(app, collection))}>
                    {text.edit}
                    <span class="visually-hidden">{` ${titleOf(collection, own)}`}</span>
                  </a>,
                ];
              })}
            />
          </Card>
        </AppFrame>,
      );
    })
    .get(at, async (c) => {
      const found = await read(c);
      return show(c, found, stateOf(found.information));
    })
    .post(at, async (c) => {
      const found = await read(c);
      requirePartner(found.app);
      const { state, action } = await readForm(c);
      const groups = changeGroups(state.groups, action);
      if (groups) return show(c, found, { ...state, groups });
      const parsed = parseState(state);
      if (parsed.kind === "invalid") return show(c, found, state, { details: parsed.details });
      if (action !== "save") return show(c, found, state);
      const { collection, information: seen } = found;
      if (hasLineBreaks(seen) || state.version !== (seen?.updated_at ?? "")) return showChanged(c, state);
      try {
        const { actor } = signedIn(c);
        const saved = await site.information.replaceSeen(collection, parsed.information, actor, seen);
        if (!saved) return showChanged(c, state);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== "INVALID_REQUEST") throw error;
        return show(c, found, state, { details: error.details });
      }
      return goTo(site, c, formPath(found.app, found.collection), "information_saved");
    });
}
