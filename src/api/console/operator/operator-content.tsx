/** The operator's pages about content: hosts, display types and collections. */

import { Hono } from "hono";
import { clip } from "../../../domain/printable.ts";
import { collectionKey } from "../../../domain/token-ref.ts";
import { ApiError } from "../../http/errors.ts";
import { hostPatternProblem, parseHostPattern } from "../../media/module.ts";
import { displayTypes } from "../../metadata/rules.ts";
import { formatCount, formatNumber } from "../../ui/numbers.ts";
import { Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { Confirmed } from "../confirmed.tsx";
import { type ConsoleContext, type ConsoleEnv, formOf, goTo, operatorOnly, type Site } from "../env.ts";
import { titleOf, traitTypeField, traitTypeIn } from "../request-subject.ts";
import {
  CollectionName,
  collectionNamed,
  collectionOptions,
  operatorPath,
  renderOperator,
} from "./operator-frame.tsx";

const PENDING_MAX = 200;
const HOLDERS_SHOWN = 20;

export function operatorContentPages(site: Site): Hono<ConsoleEnv> {
  const { actions, allowlist, traitApproval } = site;

  async function hosts(c: ConsoleContext, sent?: { pattern: string; collection: string; error: string }) {
    operatorOnly(c);
    const { everyCollection, hosts: texts } = words().operator;
    const { columns } = texts;
    const list = await allowlist.list();
    const scopeName = (collection: string | null): string =>
      collection === null ? everyCollection : (titleOf(site, collection) ?? collection);
    const path = operatorPath("/hosts");
    return renderOperator(
      site,
      c,
      "/hosts",
      <>
        <Card title={texts.title} hint={texts.hint}>
          <Table
            empty={texts.none}
            caption={texts.title}
            columns={[columns.host, columns.collection, columns.actor, columns.added, ""]}
            rows={list.map((host, at) => [
              <code>{host.pattern}</code>,
              host.collection ? <CollectionName site={site} name={host.collection} /> : everyCollection,
              <code>{host.added_by}</code>,
              <When at={new Date(host.added_at)} />,
              <Confirmed
                id={`remove-${at}`}
                ask={texts.removeAsk}
                askNamed={texts.removeHost(host.pattern)}
                question={texts.removeQuestion(host.pattern, scopeName(host.collection))}
                keep={texts.removeKeep}
                confirm={texts.remove}
                isSlim
                action={site.to(`${path}/remove`)}
                fields={{ pattern: host.pattern, collection: host.collection ?? "" }}
              >
                <p>{texts.removeNote}</p>
              </Confirmed>,
            ])}
          />
        </Card>
        <Card title={texts.allowTitle}>
          <form method="post" action={site.to(path)} class="inline-form">
            <Field
              name="pattern"
              label={columns.host}
              hint={texts.form}
              required
              autocomplete="off"
              value={sent?.pattern}
              error={sent?.error}
            />
            <Field
              name="collection"
              label={columns.collection}
              value={sent?.collection}
              options={[{ value: "", text: everyCollection }, ...collectionOptions(site)]}
            />
            <Button kind="primary">{texts.allow}</Button>
          </form>
        </Card>
      </>,
      { status: sent ? 400 : 200 },
    );
  }

  /** The collection as the allowlist stores it; null for every collection. */
  function scopeOf(name = ""): string | null {
    if (name === "") return null;
    return collectionKey(collectionNamed(site, name));
  }

  return new Hono<ConsoleEnv>()
    .get("/operator/hosts", (c) => hosts(c))
    .post("/operator/hosts", async (c) => {
      const { actor } = operatorOnly(c);
      const { pattern: text = "", collection = "" } = await formOf(c);
      const pattern = parseHostPattern(text.trim());
      if (!pattern)
        return hosts(c, {
          pattern: text,
          collection,
          error: words().operator.hosts.invalid(clip(text), hostPatternProblem(text.trim())),
        });
      const scope = scopeOf(collection);
      await actions.allowHost(actor, pattern, scope);
      return goTo(site, c, operatorPath("/hosts"), "host_added");
    })
    .post("/operator/hosts/remove", async (c) => {
      const { actor } = operatorOnly(c);
      const { pattern = "", collection } = await formOf(c);
      // A collection that is no longer served may still be on the list.
      const isRemoved = await actions.disallowHost(actor, pattern, collection || null);
      return goTo(site, c, operatorPath("/hosts"), isRemoved ? "host_removed" : "host_not_listed");
    })
    .get("/operator/traits", async (c) => {
      operatorOnly(c);
      const { moreToDecide, types: texts } = words().operator;
      const { columns } = texts;
      const refs = site.collections.all.map(({ chainId, address }) => ({ chainId, collection: address }));
      const found = await traitApproval.pending(refs, PENDING_MAX + 1);
      const pending = found.slice(0, PENDING_MAX);
      return renderOperator(
        site,
        c,
        "/traits",
        <Card title={texts.title} hint={texts.hint}>
          <Table
            empty={texts.none}
            caption={texts.caption}
            columns={[
              columns.collection,
              columns.trait,
              columns.known,
              columns.proposed,
              { head: columns.tokens, isNumber: true },
              columns.since,
              "",
            ]}
            rows={pending.map((row) => [
              <CollectionName site={site} name={collectionKey(row)} />,
              row.traitType,
              <code>{row.known}</code>,
              <code>{row.proposed}</code>,
              formatCount(row.tokens, row.hasMoreTokens),
              <When at={row.firstSeenAt} />,
              <form method="post" action={site.to(`${operatorPath("/traits")}/approve`)}>
                <input type="hidden" name="collection" value={collectionKey(row)} />
                <input type="hidden" {...traitTypeField(row.traitType)} />
                <input type="hidden" name="display_type" value={row.proposed} />
                <Button isSlim kind="primary" label={texts.changeTrait(row.traitType, row.proposed)}>
                  {texts.change(row.proposed)}
                </Button>
              </form>,
            ])}
          />
          {found.length > PENDING_MAX && <Notice>{moreToDecide(PENDING_MAX)}</Notice>}
        </Card>,
      );
    })
    .post("/operator/traits/approve", async (c) => {
      const { actor } = operatorOnly(c);
      const form = await formOf(c);
      const collection = collectionNamed(site, form.collection);
      const traitType = traitTypeIn(form);
      const displayType = displayTypes.find((type) => type === form.display_type);
      if (!displayType)
        throw new ApiError("INVALID_REQUEST", [{ path: "display_type", message: "is not a display type" }]);
      const approval = await actions.approveDisplayType(actor, collection, traitType, displayType);
      const done = approval.kind === "approved" ? "type_approved" : "not_pending";
      return goTo(site, c, operatorPath("/traits"), done);
    })
    .get("/operator/collections", async (c) => {
      operatorOnly(c);
      const { operator, text } = words();
      const texts = operator.collections;
      const { all } = site.collections;
      const names = all.map(collectionKey);
      const [provided, holders] = await Promise.all([
        site.information.readAll(all),
        site.apps.holdersOf(names, HOLDERS_SHOWN),
      ]);
      return renderOperator(
        site,
        c,
        "/collections",
        all.map((collection, index) => {
          const { apps = [], count = 0 } = holders[index] ?? {};
          const information = provided[index];
          return (
            <Card title={information?.name ?? collection.name ?? texts.unnamed}>
              <Facts
                rows={[
                  [texts.collection, <code>{names[index]}</code>],
                  [texts.standard, collection.standard ?? texts.detected],
                  [
                    texts.apps,
                    <>
                      {count === 0 && text.none}
                      {apps.map((app) => (
                        <a href={site.to(`/console/apps/${app.id}/permissions`)}>{`${app.name} `}</a>
                      ))}
                      {count > apps.length && text.andMore(formatNumber(count - apps.length))}
                    </>,
                  ],
                  [
                    texts.information,
                    information ? <When at={new Date(information.updated_at)} /> : text.none,
                  ],
                  ...(information ? informationRows(information) : []),
                ]}
              />
            </Card>
          );
        }),
      );
    });
}

type Information = NonNullable<Awaited<ReturnType<Site["information"]["readAll"]>>[number]>;

/** The provided information, field by field, in the order of the contract, without empty fields. */
function informationRows(information: Information) {
  const { operator, text } = words();
  const { fields: names, group: textOf } = operator.collections;
  const { trait_groups: groups, updated_at: _shown, ...fields } = information;
  const provided = Object.entries(fields).flatMap(([field, value]) =>
    value === null || value === "" ? [] : [[names[field as keyof typeof fields], String(value)] as const],
  );
  const listed = groups.map(({ name, traits }) => textOf(name, traits.map((trait) => trait.name).join(", ")));
  return [...provided, [names.trait_groups, listed.length === 0 ? text.none : listed.join(" · ")] as const];
}
