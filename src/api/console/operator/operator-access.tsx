/** The operator's pages about apps: permission requests, all apps, and the audit log. */

import { Hono } from "hono";
import { subjectText } from "../../access/module.ts";
import { Badge, Button, Card, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { type ConsoleContext, type ConsoleEnv, goTo, idOf, operatorOnly, type Site, UUID } from "../env.ts";
import { shortAddress } from "../frame.tsx";
import { operatorPath, renderOperator } from "./operator-frame.tsx";

const PAGE = 100;
const AUDIT_ID = /^[1-9][0-9]{0,17}$/;

const kinds = {
  api: "API",
  collection: "Collection",
  tier: "Tier",
  host: "Host",
  display_type: "Display type",
} as const;

const Owner = ({ address }: { address: string | null }) =>
  address === null ? (
    <span class="soft">operator</span>
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
    return goTo(site, c, operatorPath(), decision === "outdated" ? "not_pending" : decision);
  };

  return new Hono<ConsoleEnv>()
    .get("/operator", async (c) => {
      operatorOnly(c);
      const waiting = await apps.openRequests(PAGE + 1);
      const requests = waiting.slice(0, PAGE);
      return renderOperator(
        site,
        c,
        "",
        <div id="live" class="stack" data-live>
          <Card title="Pending requests" hint="Oldest first. Updates live.">
            <Table
              empty="No pending requests"
              caption="Requests"
              columns={["App", "Owner", "Asks for", "Since", ""]}
              rows={requests.map((request) => [
                <a href={site.to(`/console/apps/${request.appId}/permissions`)}>{request.app}</a>,
                <Owner address={request.owner} />,
                <>
                  {kinds[request.kind]} <code>{subjectText(request)}</code>
                </>,
                <When at={request.createdAt} />,
                <div class="row">
                  {(["approve", "refuse"] as const).map((verb) => (
                    <form method="post" action={site.to(`${operatorPath()}/requests/${request.id}/${verb}`)}>
                      <Button
                        isSlim
                        kind={verb === "approve" ? "primary" : "danger"}
                        label={`${verb === "approve" ? "Approve" : "Refuse"} ${subjectText(request)} for ${request.app}`}
                      >
                        {verb === "approve" ? "Approve" : "Refuse"}
                      </Button>
                    </form>
                  ))}
                </div>,
              ])}
            />
            {waiting.length > PAGE && (
              <Notice>{`More wait: these are the oldest ${PAGE}, and others follow once they are decided.`}</Notice>
            )}
          </Card>
        </div>,
      );
    })
    .post("/operator/requests/:request/approve", decide("approve"))
    .post("/operator/requests/:request/refuse", decide("refuse"))
    .get("/operator/apps", async (c) => {
      operatorOnly(c);
      const text = (c.req.query("q") ?? "").trim();
      const after = c.req.query("after") ?? "";
      const found = await apps.search(text, UUID.test(after) ? after : undefined, PAGE + 1);
      const shown = found.slice(0, PAGE);
      const last = shown.at(-1);
      return renderOperator(
        site,
        c,
        "/apps",
        <Card title="All apps" hint="Open one for its keys, permissions and limits.">
          <form method="get" action={site.to(operatorPath("/apps"))} class="inline-form">
            <Field name="q" label="Name or owner" value={text} />
            <Button>Find</Button>
          </form>
          <Table
            empty={text ? "No app with that name or owner." : "No app yet."}
            caption="Apps"
            columns={["App", "Owner", "APIs", "Collections", "Tier", "Created"]}
            rows={shown.map((app) => [
              <a href={site.to(`/console/apps/${app.id}`)}>{app.name}</a>,
              <Owner address={app.owner} />,
              <span class="row">
                {app.apis.map((api) => (
                  <Badge>{api}</Badge>
                ))}
              </span>,
              app.collections === null ? "every" : String(app.collections.length),
              app.tier,
              <When at={app.createdAt} />,
            ])}
          />
          {found.length > PAGE && last && (
            <a
              class="button"
              href={site.to(`${operatorPath("/apps")}?${new URLSearchParams({ q: text, after: last.id })}`)}
            >
              Further apps
            </a>
          )}
        </Card>,
      );
    })
    .get("/operator/audit", async (c) => {
      operatorOnly(c);
      const asked = c.req.query("before") ?? "";
      const rows = await site.readAudit(PAGE + 1, AUDIT_ID.test(asked) ? asked : undefined);
      const shown = rows.slice(0, PAGE);
      const last = shown.at(-1);
      return renderOperator(
        site,
        c,
        "/audit",
        <Card title="Audit log" hint="Every change, newest first">
          <Table
            empty="No entries yet"
            caption="Audit log"
            columns={["When", "Who", "What", "To what", "Detail"]}
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
              Older
            </a>
          )}
        </Card>,
      );
    });
}
