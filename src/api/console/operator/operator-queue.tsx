/** The refresh queue as it is now, and the form that refreshes a collection. */

import { Hono } from "hono";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { OpenSweep } from "../../refresh/queue/overview-store.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { type ConsoleEnv, formOf, goTo, operatorOnly, type Site } from "../env.ts";
import {
  CollectionName,
  collectionNamed,
  collectionOptions,
  operatorPath,
  renderOperator,
} from "./operator-frame.tsx";

const count = (amount: number): string => amount.toLocaleString("en-US");

const Progress = ({ sweep }: { sweep: OpenSweep }) =>
  sweep.isCounted ? (
    <>
      <progress value={sweep.passed} max={Math.max(1, sweep.known)} aria-label="Queued tokens" />
      <span class="small soft">{`${count(sweep.passed)} of ${count(sweep.known)} tokens`}</span>
    </>
  ) : (
    <span class="soft">{`${count(sweep.passed)} tokens, still counting`}</span>
  );

export function operatorQueuePages(site: Site): Hono<ConsoleEnv> {
  const { actions, operatorRequests } = site;
  const path = operatorPath("/refreshes");

  return new Hono<ConsoleEnv>()
    .get("/operator/refreshes", async (c) => {
      operatorOnly(c);
      const { queue, hosts, sweeps } = await operatorRequests.overview();
      return renderOperator(
        site,
        c,
        "/refreshes",
        <>
          <div id="live" class="stack" data-live>
            <Card title="Queue" hint="Updates live.">
              {queue ? (
                <Facts
                  rows={[
                    ["Requests", count(queue.waiting.request)],
                    ["Events", count(queue.waiting.event)],
                    ["Callers without a key", count(queue.waiting.anonymous)],
                    ["Background", count(queue.waiting.background)],
                    ["Waiting longest", `${Math.round(queue.oldestSeconds)} s`],
                  ]}
                />
              ) : (
                <Notice tone="warn">The database is too busy to count.</Notice>
              )}
            </Card>
            <Card title="Collections being refreshed">
              <Table
                empty="None."
                caption="Sweeps"
                columns={["Collection", "Since", "Progress"]}
                rows={sweeps.entries.map((sweep) => [
                  <CollectionName site={site} name={collectionKey(sweep)} />,
                  <When at={sweep.createdAt} />,
                  <Progress sweep={sweep} />,
                ])}
              />
              {sweeps.more && <p class="soft">There are more.</p>}
            </Card>
            <Card title="Hosts">
              <Table
                empty="No hosts in use"
                caption="Hosts"
                columns={[
                  "Host",
                  { head: "Waiting", isNumber: true },
                  { head: "Being fetched", isNumber: true },
                  "State",
                ]}
                rows={hosts.entries.map((host) => [
                  host.host === "" ? "not known yet" : <code>{host.host}</code>,
                  count(host.waiting),
                  count(host.inFlight),
                  host.pausedUntil ? (
                    <>
                      <Badge tone="warn">paused</Badge> until <When at={host.pausedUntil} />{" "}
                      <span class="soft">{host.reason}</span>
                    </>
                  ) : (
                    <Badge tone="good">asked</Badge>
                  ),
                ])}
              />
              {hosts.more && <p class="soft">There are more.</p>}
            </Card>
          </div>
          <Card title="Refresh a collection" hint="All known tokens, at the lowest priority">
            <form method="post" action={site.to(path)} class="inline-form">
              <Field name="collection" label="Collection" options={collectionOptions(site)} />
              <Button>Refresh the collection</Button>
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
