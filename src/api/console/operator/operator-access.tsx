/** The operator's pages about apps: permission requests, all apps, and the audit log. */

import { Hono } from "hono";
import type { RequestRow } from "../../access/apps/app-store.ts";
import { isUuid } from "../../text/uuid.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge, Button, Card, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { type ConsoleContext, type ConsoleEnv, goTo, idOf, operatorOnly, type Site } from "../env.ts";
import { subjectText, titleOf } from "../request-subject.ts";
import { operatorPath, renderOperator } from "./operator-frame.tsx";

const PAGE = 100;
const AUDIT_ID = /^[1-9][0-9]{0,17}$/;

/** The last entry of the page before. */
const afterOf = (c: ConsoleContext): string | undefined => {
  const after = c.req.query("after") ?? "";
  return isUuid(after) ? after : undefined;
};
const pageAfter = (id: string | undefined): string => (id ? `?after=${id}` : "");

const Owner = ({ address }: { address: string | null }) =>
  address === null ? (
    <span class="soft">{words().operator.owner}</span>
  ) : (
    <code class="nowrap" title={address}>
      {shortAddress(address)}
    </code>
  );

export function operatorAccessPages(site: Site): Hono<ConsoleEnv> {
  const { actions, apps } = site;

  const decide = (verdict: "approve" | "refuse") => async (c: ConsoleContext) => {
    const { actor } = operatorOnly(c);
    const decision = await actions.decideRequest(actor, idOf(c, "request"), verdict);
    return goTo(site, c, `${operatorPath()}${pageAfter(afterOf(c))}`, decision);
  };

  return new Hono<ConsoleEnv>()
    .get("/operator", async (c) => {
      operatorOnly(c);
      const { requests: texts } = words().operator;
      const { columns } = texts;
      const named = ({ kind, subject }: RequestRow): string => {
        const name = kind === "collection" ? titleOf(site, subject) : undefined;
        return name === undefined ? "" : `${name} `;
      };
      const labels = { approve: texts.approveFor, refuse: texts.refuseFor };
      const after = afterOf(c);
      const waiting = await apps.openRequests(after, PAGE + 1);
      const requests = waiting.slice(0, PAGE);
      const last = requests.at(-1);
      const total = formatNumber(c.get("openRequests") ?? 0);
      const count = (after ? texts.further : texts.oldest)(requests.length, total);
      return renderOperator(
        site,
        c,
        "",
        <div id="live" class="stack" data-live>
          <Card title={texts.title} hint={texts.hint}>
            <Table
              empty={after ? texts.noFurther : texts.none}
              caption={texts.caption}
              columns={[columns.app, columns.owner, columns.subject, columns.since, ""]}
              rows={requests.map((request) => [
                <a href={site.to(`/console/apps/${request.appId}/permissions`)}>{request.app}</a>,
                <Owner address={request.owner} />,
                <>
                  {texts.kinds[request.kind]} {named(request)}
                  <code>{subjectText(request)}</code>
                </>,
                <When at={request.createdAt} />,
                <div class="row">
                  {(["approve", "refuse"] as const).map((verb) => (
                    <form
                      method="post"
                      action={site.to(`${operatorPath()}/requests/${request.id}/${verb}${pageAfter(after)}`)}
                    >
                      <Button
                        isSlim
                        kind={verb === "approve" ? "primary" : "danger"}
                        label={labels[verb](subjectText(request), request.app)}
                      >
                        {texts[verb]}
                      </Button>
                    </form>
                  ))}
                </div>,
              ])}
            />
            {(after || waiting.length > PAGE) && (
              <>
                {requests.length > 0 && <Notice>{count}</Notice>}
                <div class="row">
                  {after && (
                    <a class="button" href={site.to(operatorPath())}>
                      {texts.first}
                    </a>
                  )}
                  {waiting.length > PAGE && last && (
                    <a class="button" href={site.to(`${operatorPath()}${pageAfter(last.id)}`)}>
                      {texts.more}
                    </a>
                  )}
                </div>
              </>
            )}
          </Card>
        </div>,
      );
    })
    .post("/operator/requests/:request/approve", decide("approve"))
    .post("/operator/requests/:request/refuse", decide("refuse"))
    .get("/operator/apps", async (c) => {
      operatorOnly(c);
      const { apps: texts } = words().operator;
      const { columns } = texts;
      const text = (c.req.query("q") ?? "").trim();
      const found = await apps.search(text, afterOf(c), PAGE + 1);
      const shown = found.slice(0, PAGE);
      const last = shown.at(-1);
      return renderOperator(
        site,
        c,
        "/apps",
        <Card title={texts.title} hint={texts.hint}>
          <form method="get" action={site.to(operatorPath("/apps"))} class="inline-form">
            <Field name="q" label={texts.search} value={text} />
            <Button>{texts.find}</Button>
          </form>
          <Table
            empty={text ? texts.noMatch : texts.none}
            caption={texts.caption}
            columns={[
              columns.app,
              columns.owner,
              columns.apis,
              columns.collections,
              columns.tier,
              columns.created,
            ]}
            rows={shown.map((app) => [
              <a href={site.to(`/console/apps/${app.id}`)}>{app.name}</a>,
              <Owner address={app.owner} />,
              <span class="row">
                {app.apis.map((api) => (
                  <Badge>{api}</Badge>
                ))}
              </span>,
              app.collections === null ? texts.every : String(app.collections.length),
              app.tier,
              <When at={app.createdAt} />,
            ])}
          />
          {found.length > PAGE && last && (
            <a
              class="button"
              href={site.to(`${operatorPath("/apps")}?${new URLSearchParams({ q: text, after: last.id })}`)}
            >
              {texts.more}
            </a>
          )}
        </Card>,
      );
    })
    .get("/operator/audit", async (c) => {
      operatorOnly(c);
      const { audit: texts } = words().operator;
      const { columns } = texts;
      const asked = c.req.query("before") ?? "";
      const rows = await site.readAudit(PAGE + 1, AUDIT_ID.test(asked) ? asked : undefined);
      const shown = rows.slice(0, PAGE);
      const last = shown.at(-1);
      return renderOperator(
        site,
        c,
        "/audit",
        <Card title={texts.title} hint={texts.hint}>
          <Table
            empty={texts.none}
            caption={texts.title}
            columns={[columns.when, columns.who, columns.what, columns.subject, columns.detail]}
            rows={shown.map((row) => [
              <When at={row.at} />,
              <code class="nowrap" title={row.actor}>
                {row.actor.startsWith("0x") ? shortAddress(row.actor) : row.actor}
              </code>,
              <Badge>{row.action}</Badge>,
              <code>{row.subject}</code>,
              <code class="small soft">{JSON.stringify(row.detail)}</code>,
            ])}
          />
          {rows.length > PAGE && last && (
            <a class="button" href={site.to(`${operatorPath("/audit")}?before=${last.id}`)}>
              {texts.older}
            </a>
          )}
        </Card>,
      );
    });
}
