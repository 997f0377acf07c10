/** The Limits tab: what an app's tier allows, and the app's usage. */

import { Hono } from "hono";
import type { UsageRow } from "../../access/apps/usage.ts";
import { ApiError } from "../../http/errors.ts";
import { isTier, tierNames, tiers } from "../../http/limits/tiers.ts";
import { formatNumber as count } from "../../ui/numbers.ts";
import { Badge, Button, Card, Empty, Facts, Field, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { appOf, type ConsoleEnv, formOf, goTo, operatorOnly, type Site, signedIn } from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";

const HOUR_MS = 3_600_000;
const HOURS = 24;

const say = (tier: keyof typeof tiers): string =>
  words().consoleApp.limits.requests(count(tiers[tier].requests), tiers[tier].seconds);

const Usage = ({ rows }: { rows: readonly UsageRow[] }) => {
  const text = words().consoleApp.limits;
  const apis = [...new Set(rows.map(({ api }) => api))].sort();
  const sum = (api: string, pick: "requests" | "refused"): number =>
    rows.filter((row) => row.api === api).reduce((total, row) => total + row[pick], 0);
  return (
    <Card title={text.used} hint={text.usedHint}>
      {rows.length === 0 ? (
        <Empty>{text.none}</Empty>
      ) : (
        <Table
          caption={text.caption}
          columns={[
            text.columns.api,
            { head: text.columns.within, isNumber: true },
            { head: text.columns.refused, isNumber: true },
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
      const text = words().consoleApp.limits;
      const app = await appOf(site, c);
      const { isOperator } = signedIn(c);
      // Usage is counted in whole hours.
      const since = new Date((Math.floor(Date.now() / HOUR_MS) - HOURS + 1) * HOUR_MS);
      const [rows, requests] = await Promise.all([
        site.usage.read(app.id, since),
        site.apps.requestsOf(app.id),
      ]);
      const asked = requests.find(({ kind, decidedAt }) => kind === "tier" && decidedAt === null);
      // A tier holds those below it: only operators have a use for them.
      const choices = isOperator ? tierNames : tierNames.slice(tierNames.indexOf(app.tier) + 1);
      const others = choices.filter((tier) => tier !== app.tier);
      return render(
        site,
        c,
        { title: text.title(app.name) },
        <AppFrame site={site} app={app} tab="/limits">
          <Card title={text.tier}>
            <Facts
              rows={[
                [text.tier, <Badge tone="good">{app.tier}</Badge>],
                [text.limit, say(app.tier)],
                [text.counted, text.countedHow],
                ...(asked ? [[text.askedFor, <Badge tone="warn">{asked.subject}</Badge>] as const] : []),
              ]}
            />
            {others.length > 0 && (
              <form
                method="post"
                action={site.to(`${pathOf(app, "/limits")}/${isOperator ? "set" : "ask"}`)}
                class="inline-form"
              >
                <Field
                  name="tier"
                  label={text.another}
                  options={others.map((tier) => ({ value: tier, text: text.option(tier, say(tier)) }))}
                />
                <Button>{isOperator ? text.set : text.ask}</Button>
              </form>
            )}
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
