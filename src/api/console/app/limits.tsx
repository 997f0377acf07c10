/** The Limits tab: what an app's tier allows, and the app's usage. */

import { Hono } from "hono";
import type { UsageRow } from "../../access/apps/usage.ts";
import { ApiError } from "../../http/errors.ts";
import { isTier, tierNames, tiers } from "../../http/limits/tiers.ts";
import { Badge, Button, Card, Empty, Facts, Field, Table } from "../../ui/parts.tsx";
import { appOf, type ConsoleEnv, formOf, goTo, operatorOnly, type Site, signedIn } from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";

const HOUR_MS = 3_600_000;
const HOURS = 24;

const count = (amount: number): string => amount.toLocaleString("en-US");
const say = (tier: keyof typeof tiers): string =>
  `${count(tiers[tier].requests)} requests per ${tiers[tier].seconds} seconds`;

const Usage = ({ rows }: { rows: readonly UsageRow[] }) => {
  const apis = [...new Set(rows.map(({ api }) => api))].sort();
  const sum = (api: string, pick: "requests" | "refused"): number =>
    rows.filter((row) => row.api === api).reduce((total, row) => total + row[pick], 0);
  return (
    <Card
      title="Used in the last 24 hours"
      hint="What counts against the limit. How requests ended is on the Requests tab."
    >
      {rows.length === 0 ? (
        <Empty>Nothing yet.</Empty>
      ) : (
        <Table
          caption="Requests by API"
          columns={[
            "API",
            { head: "Within the limit", isNumber: true },
            { head: "Refused by the limit", isNumber: true },
          ]}
          rows={apis.map((api) => [
            <code>{api}</code>,
            count(sum(api, "requests")),
            count(sum(api, "refused")),
          ])}
        />
      )}
    </Card>
  );
};

export function limitPages(site: Site): Hono<ConsoleEnv> {
  const at = "/apps/:app/limits";
  const tierOf = (text = "") => {
    if (isTier(text)) return text;
    throw new ApiError("INVALID_REQUEST", [
      { path: "tier", message: `must be one of ${tierNames.join(", ")}` },
    ]);
  };

  return new Hono<ConsoleEnv>()
    .get(at, async (c) => {
      const app = await appOf(site, c);
      const { isOperator } = signedIn(c);
      // Usage is counted in whole hours.
      const since = new Date((Math.floor(Date.now() / HOUR_MS) - HOURS + 1) * HOUR_MS);
      const [rows, requests] = await Promise.all([
        site.usage.read(app.id, since),
        site.apps.requestsOf(app.id),
      ]);
      const asked = requests.find(({ kind, decidedAt }) => kind === "tier" && decidedAt === null);
      const others = tierNames.filter((tier) => tier !== app.tier);
      return render(
        site,
        c,
        { title: `Limits of ${app.name}` },
        <AppFrame site={site} app={app} tab="/limits">
          <Card title="Tier">
            <Facts
              rows={[
                ["Tier", <Badge tone="good">{app.tier}</Badge>],
                ["Limit", say(app.tier)],
                ["Counted", "all keys of the app together, at all APIs and replicas"],
                ...(asked ? [["Asked for", <Badge tone="warn">{asked.subject}</Badge>] as const] : []),
              ]}
            />
            <form
              method="post"
              action={site.to(`${pathOf(app, "/limits")}/${isOperator ? "set" : "ask"}`)}
              class="inline-form"
            >
              <Field
                name="tier"
                label="Another tier"
                options={others.map((tier) => ({ value: tier, text: `${tier}: ${say(tier)}` }))}
              />
              <Button>{isOperator ? "Set the tier" : "Ask the operator"}</Button>
            </form>
          </Card>
          <Usage rows={rows} />
        </AppFrame>,
      );
    })
    .post(`${at}/ask`, async (c) => {
      const app = await appOf(site, c);
      const subject = tierOf((await formOf(c)).tier);
      const asking = await site.apps.ask(app.id, { kind: "tier", subject }, signedIn(c).actor);
      return goTo(site, c, pathOf(app, "/limits"), asking);
    })
    .post(`${at}/set`, async (c) => {
      const { actor } = operatorOnly(c);
      const app = await appOf(site, c);
      const subject = tierOf((await formOf(c)).tier);
      await site.apps.grant(app.id, { kind: "tier", subject }, actor, { by: "operator" });
      return goTo(site, c, pathOf(app, "/limits"), "granted");
    });
}
