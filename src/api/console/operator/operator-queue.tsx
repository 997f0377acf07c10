/** The refresh queue as it is now, and the form that refreshes a collection. */

import { Hono } from "hono";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { OpenSweep } from "../../refresh/queue/overview-store.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { type ConsoleEnv, formOf, goTo, operatorOnly, type Site } from "../env.ts";
import {
  CollectionName,
  collectionNamed,
  collectionOptions,
  operatorPath,
  renderOperator,
} from "./operator-frame.tsx";

const Progress = ({ sweep }: { sweep: OpenSweep }) => {
  const texts = words().operator.queue;
  const passed = formatNumber(sweep.passed);
  return sweep.isCounted ? (
    <>
      <progress value={sweep.passed} max={Math.max(1, sweep.known)} aria-label={texts.queued} />
      <span class="small soft">{texts.progress(passed, formatNumber(sweep.known))}</span>
    </>
  ) : (
    <span class="soft">{texts.counting(passed)}</span>
  );
};

export function operatorQueuePages(site: Site): Hono<ConsoleEnv> {
  const { actions, operatorRequests } = site;
  const path = operatorPath("/refreshes");

  return new Hono<ConsoleEnv>()
    .get("/operator/refreshes", async (c) => {
      operatorOnly(c);
      const { overview, queue: texts, thereAreMore, tooBusy, updates } = words().operator;
      const { sweepColumns, hostColumns } = texts;
      const { queue, hosts, sweeps } = await operatorRequests.overview();
      return renderOperator(
        site,
        c,
        "/refreshes",
        <>
          <div id="live" class="stack" data-live>
            <Card title={texts.title} hint={updates}>
              {queue ? (
                <Facts
                  rows={[
                    [texts.requests, formatNumber(queue.waiting.request)],
                    [texts.events, formatNumber(queue.waiting.event)],
                    [texts.anonymous, formatNumber(queue.waiting.anonymous)],
                    [texts.background, formatNumber(queue.waiting.background)],
                    [texts.oldest, overview.seconds(String(Math.round(queue.oldestSeconds)))],
                  ]}
                />
              ) : (
                <Notice tone="warn">{tooBusy}</Notice>
              )}
            </Card>
            <Card title={texts.sweeps}>
              <Table
                empty={texts.noSweeps}
                caption={texts.sweepsCaption}
                columns={[sweepColumns.collection, sweepColumns.since, sweepColumns.progress]}
                rows={sweeps.entries.map((sweep) => [
                  <CollectionName site={site} name={collectionKey(sweep)} />,
                  <When at={sweep.createdAt} />,
                  <Progress sweep={sweep} />,
                ])}
              />
              {sweeps.more && <p class="soft">{thereAreMore}</p>}
            </Card>
            <Card title={texts.hosts}>
              <Table
                empty={texts.noHosts}
                caption={texts.hosts}
                columns={[
                  hostColumns.host,
                  { head: hostColumns.waiting, isNumber: true },
                  { head: hostColumns.fetching, isNumber: true },
                  hostColumns.state,
                ]}
                rows={hosts.entries.map((host) => [
                  host.host === "" ? texts.unknownHost : <code>{host.host}</code>,
                  formatNumber(host.waiting),
                  formatNumber(host.inFlight),
                  host.pausedUntil ? (
                    <>
                      <Badge tone="warn">{texts.paused}</Badge> {texts.until} <When at={host.pausedUntil} />{" "}
                      <span class="soft">{host.reason}</span>
                    </>
                  ) : (
                    <Badge tone="good">{texts.active}</Badge>
                  ),
                ])}
              />
              {hosts.more && <p class="soft">{thereAreMore}</p>}
            </Card>
          </div>
          <Card title={texts.refresh} hint={texts.refreshHint}>
            <form method="post" action={site.to(path)} class="inline-form">
              <Field name="collection" label={texts.collection} options={collectionOptions(site)} />
              <Button>{texts.start}</Button>
            </form>
          </Card>
        </>,
      );
    })
    .post("/operator/refreshes", async (c) => {
      const { actor } = operatorOnly(c);
      const collection = collectionNamed(site, (await formOf(c)).collection);
      await actions.requestRefresh(actor, collection, null, false, c.get("requestId"));
      return goTo(site, c, path, "refresh_started");
    });
}
