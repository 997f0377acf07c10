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
const BAR = { width: 12, gap: 4, height: 96 };

const count = (amount: number): string => amount.toLocaleString("en-US");
const say = (tier: keyof typeof tiers): string =>
  `${count(tiers[tier].requests)} requests per ${tiers[tier].seconds} seconds`;

interface Hour {
  readonly hour: Date;
  readonly requests: number;
  readonly refused: number;
}

/** One entry per hour of the last day, including empty hours. */
function hoursOf(rows: readonly UsageRow[], now: number): Hour[] {
  const first = Math.floor(now / HOUR_MS) - HOURS + 1;
  return Array.from({ length: HOURS }, (_, index) => {
    const hour = new Date((first + index) * HOUR_MS);
    const own = rows.filter((row) => row.hour.getTime() === hour.getTime());
    const sum = (pick: "requests" | "refused"): number => own.reduce((total, row) => total + row[pick], 0);
    return { hour, requests: sum("requests"), refused: sum("refused") };
  });
}

const Bars = ({ hours }: { hours: readonly Hour[] }) => {
  const most = Math.max(1, ...hours.map(({ requests, refused }) => requests + refused));
  const width = HOURS * (BAR.width + BAR.gap) - BAR.gap;
  const high = (amount: number): number => (amount / most) * BAR.height;
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${width} ${BAR.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Requests per hour of the last day; the most in one hour were ${count(most)}`}
    >
      {hours.map(({ requests, refused }, index) => {
        const x = index * (BAR.width + BAR.gap);
        const ok = high(requests);
        const over = high(refused);
        return (
          <g>
            <rect class="track" x={x} y={0} width={BAR.width} height={BAR.height} rx={2} />
            <rect class="ok" x={x} y={BAR.height - ok} width={BAR.width} height={ok} rx={2} />
            <rect class="over" x={x} y={BAR.height - ok - over} width={BAR.width} height={over} rx={2} />
          </g>
        );
      })}
    </svg>
  );
};

const Usage = ({ rows }: { rows: readonly UsageRow[] }) => {
  const apis = [...new Set(rows.map(({ api }) => api))].sort();
  const sum = (api: string, pick: "requests" | "refused"): number =>
    rows.filter((row) => row.api === api).reduce((total, row) => total + row[pick], 0);
  const hours = hoursOf(rows, Date.now());
  return (
    <Card title="Used in the last 24 hours" hint="Counted by the hour, with a delay of a few seconds.">
      {rows.length === 0 ? (
        <Empty>Nothing yet.</Empty>
      ) : (
        <>
          <Bars hours={hours} />
          <div class="row spread soft small">
            <span>{`${HOURS} hours ago`}</span>
            <span>{`most in one hour: ${count(Math.max(...hours.map(({ requests, refused }) => requests + refused)))}`}</span>
            <span>now</span>
          </div>
          <Table
            caption="Requests by API"
            columns={[
              "API",
              { head: "Answered", isNumber: true },
              { head: "Refused by the limit", isNumber: true },
            ]}
            rows={apis.map((api) => [
              <code>{api}</code>,
              count(sum(api, "requests")),
              count(sum(api, "refused")),
            ])}
          />
        </>
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
