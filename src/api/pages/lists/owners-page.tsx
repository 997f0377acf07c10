/** `/collections/{chain_id}/{address}/owners`: the owners, largest first, now or at a block. */

import { clip } from "../../../domain/printable.ts";
import { ApiError } from "../../http/errors.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Button, Card, Field, Table, Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { collectionName } from "../collection/collection-list.tsx";
import { Copied, Wallet } from "../copyable.tsx";
import { collectionOf, collectionPath, isIndexReady, namesOf, type PagesContext, type Site } from "../env.ts";
import { NotReady, render } from "../frame.tsx";
import { Foreign, formatAmount } from "../text.tsx";
import { Pager } from "./pager.tsx";

const OWNERS_AT_ONCE = 50;

export async function ownersPage(site: Site, c: PagesContext): Promise<Response> {
  const collection = await collectionOf(site, c);
  const typed = c.req.query("at_block") ?? "";
  const atBlock = readBlock(typed);
  const cursor = c.req.query("cursor");
  const [found, view, isReady] = await Promise.all([
    atBlock === "unreadable"
      ? words().problems.invalidBlock(clip(typed))
      : site.catalogModule.owners
          .page(collection, { atBlock, limit: OWNERS_AT_ONCE, cursor })
          .catch(problemOfBlock),
    site.catalogModule.viewCollection(collection),
    isIndexReady(site, collection.chainId),
  ]);
  if (!view) throw new ApiError("COLLECTION_NOT_FOUND");
  const above = collectionPath(namesOf(collection));
  const path = `${above}/owners`;
  const { owners, collections } = words();
  const [page, problem] = typeof found === "string" ? [undefined, found] : [found, undefined];
  return render(
    site,
    c,
    {
      title: owners.titleOf(collectionName(view)),
      about: { description: owners.description(collectionName(view)), path },
      scripts: ["copy.js"],
      status: problem === undefined ? 200 : 400,
    },
    <>
      {!isReady && <NotReady />}
      <Title
        hint={
          <a href={site.to(above)}>
            <Foreign text={collectionName(view)} max={100} />
          </a>
        }
      >
        {owners.title}
      </Title>
      <form method="get" action={site.to(path)} class="row">
        <Field
          name="at_block"
          label={owners.atBlock}
          value={typeof atBlock === "number" ? String(atBlock) : typed}
          error={problem}
          hint={owners.atBlockHint}
        />
        <Button>{owners.show}</Button>
      </form>
      {page && (
        <div id="owners">
          <Card
            title={collections.owners(page.total, formatNumber(page.total))}
            hint={page.asOfBlock === null ? owners.now : owners.asOf(formatNumber(page.asOfBlock))}
          >
            <Table
              caption={owners.caption}
              columns={[words().wallet.title, { head: owners.tokens, isNumber: true }]}
              rows={page.items.map(({ owner, quantity }) => [
                <Wallet site={site} address={owner} />,
                formatAmount(quantity),
              ])}
              empty={owners.none}
            />
            <Pager
              site={site}
              path={path}
              kept={atBlock === undefined ? {} : { at_block: String(atBlock) }}
              cursor={cursor}
              next={page.nextCursor}
              words={[owners.largest, owners.more]}
              fragment="owners"
            />
          </Card>
        </div>
      )}
      <Copied />
    </>,
  );
}

const THOUSANDS = /^[0-9]{1,3}(?:[,\s][0-9]{3})+$/;

/** A number, with separators too, as pages show it; undefined for the current owners: the form's field is empty. */
function readBlock(text: string): number | "unreadable" | undefined {
  if (text.trim() === "") return undefined;
  const digits = THOUSANDS.test(text.trim()) ? text.replace(/[,\s]/g, "") : text.trim();
  return /^(?:0|[1-9][0-9]{0,14})$/.test(digits) ? Number(digits) : "unreadable";
}

/** What is wrong with the block; throws any other error. */
function problemOfBlock(error: unknown): string {
  const detail = error instanceof ApiError ? error.details[0] : undefined;
  if (detail?.path !== "at_block") throw error;
  return detail.message;
}
