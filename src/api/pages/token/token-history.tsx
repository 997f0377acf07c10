/** A token's history: its transfers, and its metadata fetches. */

import type { Transfer, TransferPage } from "../../catalog/holdings-store.ts";
import type { TokenHistory } from "../../catalog/reports/reports.ts";
import { Badge, Card, Empty, Facts, Notice, Table, type Tone, When } from "../../ui/parts.tsx";
import { Transaction, Wallet } from "../copyable.tsx";
import { type Site, tokenPath } from "../env.ts";
import { Reason } from "../reason.tsx";
import { Foreign, formatNumber } from "../text.tsx";

export const TRANSFERS_AT_ONCE = 10;
export const VERSIONS_AT_ONCE = 10;

const NOBODY = `0x${"0".repeat(40)}`;

interface HistoryProps {
  readonly site: Site;
  readonly token: TokenHistory["token"];
}

const eventOf = ({ from, to }: Transfer): string => {
  if (from === NOBODY) return "Minted";
  return to === NOBODY ? "Burned" : "Transferred";
};

export const Transfers = ({
  site,
  token,
  transfers: { transfers, total },
  at,
}: HistoryProps & { transfers: TransferPage; at: number }) => {
  const isCounted = token.standard === "erc1155";
  const wallet = (address: string) =>
    address === NOBODY ? <span class="soft">none</span> : <Wallet site={site} address={address} />;
  const pageAt = (page: number) => `${site.to(tokenPath(token))}?transfers=${page}#transfers`;
  return (
    <div id="transfers">
      <Card title="Transfers" hint={total === 1 ? "1 transfer" : `${formatNumber(total)} transfers`}>
        {transfers.length === 0 ? (
          <Empty>{total === 0 ? "No transfers indexed" : "There are not so many."}</Empty>
        ) : (
          <Table
            caption="Transfers, newest first"
            columns={[
              "What",
              "From",
              "To",
              ...(isCounted ? [{ head: "Quantity", isNumber: true }] : []),
              "When",
              "Transaction",
            ]}
            rows={transfers.map((transfer) => [
              eventOf(transfer),
              wallet(transfer.from),
              wallet(transfer.to),
              ...(isCounted ? [BigInt(transfer.quantity).toLocaleString("en-US")] : []),
              <When at={new Date(Number(transfer.timestamp) * 1000)} />,
              <Transaction chainId={token.chain_id} hash={transfer.transactionHash} />,
            ])}
          />
        )}
        <p class="row">
          <a class="button slim" href={site.to(`${tokenPath(token)}/activity`)}>
            All activity
          </a>
          {at > 1 && (
            <a class="button slim" href={pageAt(at - 1)}>
              Newer
            </a>
          )}
          {at * TRANSFERS_AT_ONCE < total && (
            <a class="button slim" href={pageAt(at + 1)}>
              Older
            </a>
          )}
        </p>
      </Card>
    </div>
  );
};

const statuses: Record<TokenHistory["token"]["metadata"]["status"], { tone: Tone; text: string }> = {
  none: { tone: "plain", text: "Not read yet" },
  pending: { tone: "plain", text: "Being read" },
  current: { tone: "good", text: "Current" },
  failed: { tone: "bad", text: "Last read failed" },
};

const outcomes: Record<string, { tone: Tone; text: string }> = {
  updated: { tone: "good", text: "Updated" },
  rejected: { tone: "warn", text: "Not served" },
  failed: { tone: "bad", text: "Failed" },
};

const triggers: Readonly<Record<string, string>> = {
  rest: "A partner’s request",
  graphql: "A GraphQL request",
  page: "A visitor’s request",
  operator: "The operator",
  mint: "The mint",
  event: "An event of the contract",
  reorg: "A reorg of the chain",
  sweep: "A refresh of many tokens",
  recheck: "A recheck",
  renormalise: "Read again by new rules",
  sample: "A sample",
};

export const MetadataState = ({ site, token, versions, next, servedUri }: HistoryProps & TokenHistory) => {
  const { metadata } = token;
  const { tone, text } = statuses[metadata.status];
  // A document that was never read can't be called valid.
  const isJudged = metadata.version !== null || metadata.issues.length > 0;
  return (
    <Card title="Metadata">
      <Facts
        rows={[
          ["State", <Badge tone={tone}>{text}</Badge>],
          ...(metadata.fetched_at ? [["Read", <When at={new Date(metadata.fetched_at)} />] as const] : []),
          ...(metadata.version === null ? [] : [["Version", formatNumber(metadata.version)] as const]),
          ...(servedUri === null
            ? []
            : [
                [
                  "Document",
                  <code>
                    <Foreign text={servedUri} max={500} />
                  </code>,
                ] as const,
              ]),
        ]}
      />
      {metadata.reason && (
        <Notice tone="warn">
          {metadata.version === null ? "It could not be read. " : "The last read brought nothing better. "}
          <Reason text={metadata.reason} />
        </Notice>
      )}
      {isJudged && (
        <h3>{metadata.issues.length === 0 ? "No issues" : `Issues (${metadata.issues.length})`}</h3>
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
                      {" at "}
                      <Foreign text={path} max={120} />
                    </>
                  )}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <h3 id="history">History</h3>
      {versions.length === 0 ? (
        <Empty>It has not been read yet.</Empty>
      ) : (
        <Table
          caption="Every read of the document, newest first"
          columns={["Version", "Result", "Trigger", "When"]}
          rows={versions.map((version) => [
            formatNumber(version.number),
            <div class="stack-tight">
              <span>
                <Badge tone={outcomes[version.outcome]?.tone ?? "plain"}>
                  {outcomes[version.outcome]?.text ?? version.outcome}
                </Badge>
                {version.confirmations > 0 && (
                  <span class="soft small">{` found the same ${formatNumber(version.confirmations)} more ${version.confirmations === 1 ? "time" : "times"}`}</span>
                )}
              </span>
              {version.reason && (
                <span class="soft small">
                  <Reason text={version.reason} max={200} />
                </span>
              )}
            </div>,
            triggers[version.trigger] ?? version.trigger,
            <When at={version.fetchedAt} />,
          ])}
        />
      )}
      {next !== undefined && (
        <p>
          <a class="button slim" href={`${site.to(tokenPath(token))}?before=${next}#history`}>
            Older
          </a>
        </p>
      )}
    </Card>
  );
};

// A document full of mistakes has a thousand; the API returns them all.
const ISSUES_MAX = 50;
