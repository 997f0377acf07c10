/** A token's history: its transfers, and its metadata fetches. */

import type { Transfer, TransferPage } from "../../catalog/holdings-store.ts";
import type { TokenHistory } from "../../catalog/reports/reports.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge, Card, Empty, Facts, Notice, Table, type Tone, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { Transaction, Wallet } from "../copyable.tsx";
import { type Site, tokenPath } from "../env.ts";
import { Reason } from "../reason.tsx";
import { Foreign, formatAmount } from "../text.tsx";

export const TRANSFERS_AT_ONCE = 10;
export const VERSIONS_AT_ONCE = 10;

const NOBODY = `0x${"0".repeat(40)}`;

interface HistoryProps {
  readonly site: Site;
  readonly token: TokenHistory["token"];
}

const eventOf = ({ from, to }: Transfer): string => {
  const { types } = words().activity;
  if (from === NOBODY) return types.mint;
  return to === NOBODY ? types.burn : types.transfer;
};

export const Transfers = ({
  site,
  token,
  transfers: { transfers, total },
  at,
}: HistoryProps & { transfers: TransferPage; at: number }) => {
  const text = words().activity;
  const isCounted = token.standard === "erc1155";
  const wallet = (address: string) =>
    address === NOBODY ? (
      <span class="soft nothing">{words().text.none}</span>
    ) : (
      <Wallet site={site} address={address} />
    );
  const pageAt = (page: number) => `${site.to(tokenPath(token))}?transfers=${page}#transfers`;
  return (
    <div id="transfers">
      <Card title={text.transfers} hint={text.transferCount(total, formatNumber(total))}>
        {transfers.length === 0 ? (
          <Empty>{total === 0 ? text.noTransfers : text.notSoMany}</Empty>
        ) : (
          <Table
            caption={text.transfersCaption}
            columns={[
              text.what,
              text.from,
              text.to,
              ...(isCounted ? [{ head: text.quantity, isNumber: true }] : []),
              text.when,
              text.transaction,
            ]}
            rows={transfers.map((transfer) => [
              eventOf(transfer),
              wallet(transfer.from),
              wallet(transfer.to),
              ...(isCounted ? [formatAmount(transfer.quantity)] : []),
              <When at={new Date(Number(transfer.timestamp) * 1000)} />,
              <Transaction chainId={token.chain_id} hash={transfer.transactionHash} />,
            ])}
          />
        )}
        <p class="row">
          <a class="button slim" href={site.to(`${tokenPath(token)}/activity`)}>
            {text.allActivity}
          </a>
          {at > 1 && (
            <a class="button slim" href={pageAt(at - 1)}>
              {text.newer}
            </a>
          )}
          {at * TRANSFERS_AT_ONCE < total && (
            <a class="button slim" href={pageAt(at + 1)}>
              {text.older}
            </a>
          )}
        </p>
      </Card>
    </div>
  );
};

const tones: Record<TokenHistory["token"]["metadata"]["status"], Tone> = {
  none: "plain",
  pending: "plain",
  current: "good",
  failed: "bad",
};

const outcomeTones: Record<string, Tone> = { updated: "good", rejected: "warn", failed: "bad" };

export const MetadataState = ({
  site,
  token,
  versions,
  next,
  servedUri,
  before,
}: HistoryProps & TokenHistory & { before: number | undefined }) => {
  const { metadata } = token;
  const text = words().metadata;
  // A document that was never read can't be called valid.
  const isJudged = metadata.version !== null || metadata.issues.length > 0;
  return (
    <Card title={text.title}>
      <Facts
        rows={[
          [text.state, <Badge tone={tones[metadata.status]}>{text.statuses[metadata.status]}</Badge>],
          ...(metadata.fetched_at ? [[text.read, <When at={new Date(metadata.fetched_at)} />] as const] : []),
          ...(metadata.version === null ? [] : [[text.version, formatNumber(metadata.version)] as const]),
          ...(servedUri === null
            ? []
            : [
                [
                  text.document,
                  <code>
                    <Foreign text={servedUri} max={500} />
                  </code>,
                ] as const,
              ]),
        ]}
      />
      {metadata.reason && (
        <Notice tone="warn">
          {metadata.version === null ? text.unreadable : text.nothingBetter} <Reason text={metadata.reason} />
        </Notice>
      )}
      {isJudged && (
        <h3>{metadata.issues.length === 0 ? text.noIssues : text.issues(metadata.issues.length)}</h3>
      )}
      {metadata.issues.length > 0 && (
        <ul class="issues">
          {metadata.issues.slice(0, ISSUES_MAX).map(({ level, code, path, message }) => (
            <li>
              <Badge tone={level === "error" ? "bad" : "warn"}>{level}</Badge>
              <div>
                <p>
                  <Foreign text={message} max={400} />
                </p>
                <p class="soft small mono">
                  {code}
                  {path && (
                    <>
                      {` ${text.at} `}
                      <Foreign text={path} max={120} />
                    </>
                  )}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <h3 id="history">{text.history}</h3>
      {versions.length === 0 ? (
        <Empty>{before === undefined ? text.neverRead : words().activity.notSoMany}</Empty>
      ) : (
        <Table
          caption={text.caption}
          columns={[text.version, text.result, text.trigger, words().activity.when]}
          rows={versions.map((version) => [
            formatNumber(version.number),
            <div class="stack-tight">
              <span>
                <Badge tone={outcomeTones[version.outcome] ?? "plain"}>
                  {text.outcomes[version.outcome] ?? version.outcome}
                </Badge>
                {version.confirmations > 0 && (
                  <span class="soft small">
                    {text.same(version.confirmations, formatNumber(version.confirmations))}
                  </span>
                )}
              </span>
              {version.reason && (
                <span class="soft small">
                  <Reason text={version.reason} max={200} />
                </span>
              )}
            </div>,
            text.triggers[version.trigger] ?? version.trigger,
            <When at={version.fetchedAt} />,
          ])}
        />
      )}
      {next !== undefined && (
        <p>
          <a class="button slim" href={`${site.to(tokenPath(token))}?before=${next}#history`}>
            {words().activity.older}
          </a>
        </p>
      )}
    </Card>
  );
};

// A document full of mistakes has a thousand; the API returns them all.
const ISSUES_MAX = 50;
