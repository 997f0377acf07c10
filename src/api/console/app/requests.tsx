/** The Requests tab: how an app's requests ended, and the last of them with their errors. */

import { Hono } from "hono";
import { LOGGED_DAYS, LOGGED_MAX } from "../../access/module.ts";
import type { LoggedRequest } from "../../access/requests/request-log.ts";
import { formatNumber as count } from "../../ui/numbers.ts";
import { Badge, Button, Card, Empty, Field, Table, type Tone } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { appOf, type ConsoleContext, type ConsoleEnv, type Site } from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import {
  barsOf,
  type Outcome,
  outcomeOf,
  type Range,
  RequestChart,
  RequestTable,
  ranges,
  startOf,
  sumOf,
  totalOf,
} from "./request-chart.tsx";

const SHOWN = 100;
const TEXT_MAX = 200;

const tones: Readonly<Record<Outcome, Tone>> = {
  answered: "good",
  refused: "warn",
  limited: "warn",
  failed: "bad",
};

const rangeOf = (text: string | undefined): Range =>
  text !== undefined && Object.hasOwn(ranges, text) ? (text as Range) : "24h";

const Moment = ({ at }: { at: Date }) => (
  <time datetime={at.toISOString()}>{`${at.toISOString().slice(0, 19).replace("T", " ")} UTC`}</time>
);

const Log = ({ requests, sought }: { requests: readonly LoggedRequest[]; sought: string }) => {
  const text = words().consoleApp.requests;
  return (
    <Table
      caption={text.log}
      empty={sought ? text.noMatch : text.none}
      columns={[text.columns.time, text.columns.request, text.columns.status, text.columns.error]}
      rows={requests.map((request) => [
        <Moment at={request.at} />,
        <>
          <div>
            <code>{`${request.method} ${request.path}`}</code>
          </div>
          <div class="soft small">
            <code>{request.requestId}</code> {request.key && <code>{`${request.key}…`}</code>}
          </div>
        </>,
        <span class="nowrap">
          <Badge tone={request.code && request.status < 400 ? "warn" : tones[outcomeOf(request.status)]}>
            {String(request.status)}
          </Badge>{" "}
          <span class="soft small">{`${count(request.durationMs)} ms`}</span>
        </span>,
        request.code && (
          <>
            <code>{request.code}</code> <span class="small">{request.error}</span>
          </>
        ),
      ])}
    />
  );
};

export function requestPages(site: Site): Hono<ConsoleEnv> {
  const show = async (c: ConsoleContext) => {
    const app = await appOf(site, c);
    const range = rangeOf(c.req.query("range"));
    const text = words().consoleApp.requests;
    const sought = (c.req.query("q") ?? "").trim().slice(0, TEXT_MAX);
    const { requestLog } = site.usage;
    const now = Date.now();
    const [rows, requests] = await Promise.all([
      requestLog.readStatuses(app.id, startOf(range, now)),
      requestLog.read(app.id, sought, SHOWN),
    ]);
    const bars = barsOf(rows, range, now);
    const sums = sumOf(rows);
    const total = totalOf(sums);
    const failed = total - sums.answered;
    const path = pathOf(app, "/requests");
    return render(
      site,
      c,
      { title: text.title(app.name), scripts: ["live.js"] },
      <AppFrame site={site} app={app} tab="/requests">
        <Card title={text.byStatus} hint={text.hint}>
          <nav class="row" aria-label={text.period}>
            {(Object.keys(ranges) as Range[]).map((each) => (
              <a
                class="button slim"
                href={site.to(
                  `${path}?${new URLSearchParams({ range: each, ...(sought && { q: sought }) })}`,
                )}
                aria-current={each === range ? "true" : undefined}
              >
                {text.last(text.ranges[each])}
              </a>
            ))}
          </nav>
          <div id="chart" class="stack" data-live>
            {total === 0 ? (
              <Empty>{text.noneIn(text.ranges[range])}</Empty>
            ) : (
              <>
                <p>{text.summary(total, count(total), count(failed), ((failed / total) * 100).toFixed(1))}</p>
                <RequestChart bars={bars} range={range} />
              </>
            )}
          </div>
          {/* Outside the live part, which would close it. */}
          {total > 0 && <RequestTable bars={bars} range={range} />}
        </Card>
        <Card title={text.log} hint={text.logHint(SHOWN, LOGGED_MAX, LOGGED_DAYS)}>
          <form method="get" action={site.to(path)} class="inline-form">
            <input type="hidden" name="range" value={range} />
            <Field
              name="q"
              label={text.search}
              hint={text.searchHint}
              value={sought}
              maxlength={TEXT_MAX}
              autocomplete="off"
            />
            <Button>{text.search}</Button>
            {sought && <a href={site.to(`${path}?range=${range}`)}>{text.showAll}</a>}
          </form>
          <div id="log" data-live>
            <Log requests={requests} sought={sought} />
          </div>
        </Card>
      </AppFrame>,
    );
  };

  return new Hono<ConsoleEnv>().get("/apps/:app/requests", show);
}
