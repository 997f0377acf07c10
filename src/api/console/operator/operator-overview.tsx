/** The whole service at a glance, for the operator: what waits, what is paused, what is refused, and what is left. */

import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { readDatabaseBytes } from "../../db/database-size.ts";
import { formatCount, formatNumber } from "../../ui/numbers.ts";
import { Badge } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { type ConsoleEnv, operatorOnly, type Site } from "../env.ts";
import { operatorPath, renderOperator } from "./operator-frame.tsx";

const NAMES_SHOWN = 3;
const LAG_WARN_SECONDS = 60;
const OLDEST_WARN_SECONDS = 600;
const FREE_WARN_BYTES = 1_000_000_000;

/** In decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const { locale, operator } = words();
  const { units } = operator.overview;
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  const digits = power === 0 || amount >= 100 ? 0 : 1;
  const text = amount.toLocaleString(locale.numbers, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
  return `${text} ${units[power]}`;
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
      {isWarning && <Badge tone="warn">{words().operator.overview.attention}</Badge>}
    </p>
    {lines.map((line) => (
      <p class="soft small">{line}</p>
    ))}
    {link && <a href={link.href}>{link.text}</a>}
  </section>
);

const listed = (names: readonly string[]): string =>
  names.length > NAMES_SHOWN
    ? `${names.slice(0, NAMES_SHOWN).join(", ")} ${words().text.andMore(formatNumber(names.length - NAMES_SHOWN))}`
    : names.join(", ");

export function operatorOverviewPages(site: Site): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>().get("/operator/overview", async (c) => {
    operatorOnly(c);
    const { tooBusy, overview: texts } = words().operator;
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
    const others = rejected.slice(NAMES_SHOWN).reduce((sum, { images }) => sum + images, 0);
    const { freeBytes } = media;
    return renderOperator(
      site,
      c,
      "/overview",
      <div id="live" class="tiles" data-live>
        <Tile
          title={texts.requests}
          value={formatNumber(open)}
          isWarning={open > 0}
          lines={[texts.waiting]}
          link={{ href: site.to(operatorPath()), text: texts.decide }}
        />
        <Tile
          title={texts.queue}
          value={waiting === undefined ? texts.notCounted : formatNumber(waiting)}
          isWarning={queue === undefined || queue.oldestSeconds > OLDEST_WARN_SECONDS}
          lines={
            queue
              ? [
                  texts.oldest(formatNumber(Math.round(queue.oldestSeconds))),
                  texts.sweeps(sweeps.entries.length, formatCount(sweeps.entries.length, sweeps.more)),
                ]
              : [tooBusy]
          }
          link={{ href: site.to(operatorPath("/refreshes")), text: texts.queue }}
        />
        <Tile
          title={texts.hosts}
          value={formatCount(paused.length, hosts.more)}
          isWarning={paused.length > 0}
          lines={[paused.length > 0 ? listed(paused.map(({ host }) => host)) : texts.noneHosts]}
          link={{ href: site.to(operatorPath("/refreshes")), text: texts.reasons }}
        />
        <Tile
          title={texts.rejected}
          value={
            media.overview
              ? formatNumber(rejected.reduce((sum, { images }) => sum + images, 0))
              : texts.notCounted
          }
          lines={
            media.overview
              ? [
                  ...rejected
                    .slice(0, NAMES_SHOWN)
                    .map(({ reason, images }) => [`${formatNumber(images)} × `, <code>{reason}</code>]),
                  ...(others > 0 ? [words().text.andMore(formatNumber(others))] : []),
                  texts.pictures(media.overview.pictures, formatNumber(media.overview.pictures)),
                ]
              : [tooBusy]
          }
        />
        <Tile
          title={texts.lag}
          value={texts.seconds(formatNumber(lag))}
          isWarning={lag > LAG_WARN_SECONDS || chains.some(({ ready, head }) => !ready || head === null)}
          lines={chains.map(({ chain_id, indexed, head, ready }) =>
            texts.chain(
              chain_id,
              formatNumber(indexed),
              head === null ? undefined : formatNumber(head),
              ready,
            ),
          )}
        />
        <Tile
          title={texts.storage}
          value={sizeText(databaseBytes)}
          isWarning={freeBytes !== undefined && freeBytes < FREE_WARN_BYTES}
          lines={[
            texts.database,
            freeBytes === undefined ? texts.noFree : texts.free(sizeText(freeBytes)),
            texts.indexes(sizeText(search.bytes), sizeText(search.bytes_max)),
          ]}
        />
      </div>,
    );
  });
}
