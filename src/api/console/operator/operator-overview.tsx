/** The whole service at a glance, for the operator: what waits, what is paused, what is refused, and what is left. */

import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { readDatabaseBytes } from "../../db/database-size.ts";
import { Badge } from "../../ui/parts.tsx";
import { type ConsoleEnv, operatorOnly, type Site } from "../env.ts";
import { operatorPath, renderOperator } from "./operator-frame.tsx";

const NAMES_SHOWN = 3;
const LAG_WARN_SECONDS = 60;
const OLDEST_WARN_SECONDS = 600;
const FREE_WARN_BYTES = 1_000_000_000;

const count = (amount: number): string => amount.toLocaleString("en-US");

/** In decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`;
}

interface TileProps {
  readonly title: string;
  readonly value: string;
  readonly isWarning?: boolean;
  readonly lines: readonly Child[];
  readonly link?: { readonly href: string; readonly text: string };
}

const Tile = ({ title, value, isWarning, lines, link }: TileProps) => (
  <section class="card tile" aria-label={title}>
    <h2>{title}</h2>
    <p class="row">
      <strong class="figure">{value}</strong>
      {isWarning && <Badge tone="warn">needs attention</Badge>}
    </p>
    {lines.map((line) => (
      <p class="soft small">{line}</p>
    ))}
    {link && <a href={link.href}>{link.text}</a>}
  </section>
);

const listed = (names: readonly string[]): string =>
  names.length > NAMES_SHOWN
    ? `${names.slice(0, NAMES_SHOWN).join(", ")} and ${count(names.length - NAMES_SHOWN)} more`
    : names.join(", ");

export function operatorOverviewPages(site: Site): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/operator/overview", async (c) => {
    operatorOnly(c);
    const [{ queue, hosts, sweeps }, { chains, search }, media, databaseBytes] = await Promise.all([
      site.operatorRequests.overview(),
      site.freshness(),
      site.mediaState(),
      readDatabaseBytes(site.database),
    ]);
    const open = c.get("openRequests") ?? 0;
    const waiting = queue && Object.values(queue.waiting).reduce((sum, tokens) => sum + tokens, 0);
    const paused = hosts.entries.filter(({ pausedUntil }) => pausedUntil !== null);
    const lag = Math.max(0, ...chains.map((chain) => chain.lag_seconds));
    const rejected = media.overview?.rejected ?? [];
    const { freeBytes } = media;
    return renderOperator(
      site,
      c,
      "/overview",
      <div id="live" class="tiles" data-live>
        <Tile
          title="Requests"
          value={count(open)}
          isWarning={open > 0}
          lines={["waiting for a decision"]}
          link={{ href: site.to(operatorPath()), text: "Decide" }}
        />
        <Tile
          title="Refresh queue"
          value={waiting === undefined ? "not counted" : count(waiting)}
          isWarning={queue === undefined || queue.oldestSeconds > OLDEST_WARN_SECONDS}
          lines={
            queue
              ? [
                  `tokens; the oldest has waited ${count(Math.round(queue.oldestSeconds))} s`,
                  `${count(sweeps.entries.length)}${sweeps.more ? " or more" : ""} collections being refreshed`,
                ]
              : ["The database is too busy to count."]
          }
          link={{ href: site.to(operatorPath("/refreshes")), text: "Refresh queue" }}
        />
        <Tile
          title="Hosts paused"
          value={`${count(paused.length)}${hosts.more ? " or more" : ""}`}
          isWarning={paused.length > 0}
          lines={[paused.length > 0 ? listed(paused.map(({ host }) => host)) : "Every host is asked."]}
          link={{ href: site.to(operatorPath("/refreshes")), text: "Hosts and reasons" }}
        />
        <Tile
          title="Pictures rejected"
          value={
            media.overview ? count(rejected.reduce((sum, { images }) => sum + images, 0)) : "not counted"
          }
          lines={
            media.overview
              ? [
                  ...rejected
                    .slice(0, NAMES_SHOWN)
                    .map(({ reason, images }) => [<code>{reason}</code>, ` ${count(images)}`]),
                  `${count(media.overview.pictures)} pictures stored`,
                ]
              : ["The database is too busy to count."]
          }
        />
        <Tile
          title="Index lag"
          value={`${count(lag)} s`}
          isWarning={lag > LAG_WARN_SECONDS || chains.some(({ ready, head }) => !ready || head === null)}
          lines={chains.map(
            (chain) =>
              `chain ${chain.chain_id}: block ${count(chain.indexed)} of ${chain.head === null ? "unknown, the node is unreachable" : count(chain.head)}${chain.ready ? "" : ", still reading its past"}`,
          )}
        />
        <Tile
          title="Storage"
          value={sizeText(databaseBytes)}
          isWarning={freeBytes !== undefined && freeBytes < FREE_WARN_BYTES}
          lines={[
            "in the database",
            freeBytes === undefined
              ? "pictures in a bucket, or a folder that can’t be read"
              : `${sizeText(freeBytes)} free for pictures`,
            `search indexes: ${sizeText(search.bytes)} of ${sizeText(search.bytes_max)} memory`,
          ]}
        />
      </div>,
    );
  });
}
