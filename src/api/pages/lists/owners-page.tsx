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
  const atBlock = readBlock(c.req.query("at_block"));
  const cursor = c.req.query("cursor");
  const [page, view, isReady] = await Promise.all([
    site.catalogModule.owners.page(collection, { atBlock, limit: OWNERS_AT_ONCE, cursor }),
    site.catalogModule.viewCollection(collection),
    isIndexReady(site, collection.chainId),
  ]);
  if (!view) throw new ApiError("COLLECTION_NOT_FOUND");
  const above = collectionPath(namesOf(collection));
  const path = `${above}/owners`;
  const { owners, collections } = words();
  const count = collections.owners(page.total, formatNumber(page.total));
  const hint = page.asOfBlock === null ? owners.now : owners.asOf(formatNumber(page.asOfBlock));
  return render(
    site,
    c,
    {
      title: owners.titleOf(collectionName(view)),
      about: { description: owners.description(collectionName(view)), path },
      scripts: ["copy.js"],
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
          value={atBlock === undefined ? "" : String(atBlock)}
          hint={owners.atBlockHint}
        />
        <Button>{owners.show}</Button>
      </form>
      <div id="owners">
        <Card title={count} hint={hint}>
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
      <Copied />
    </>,
  );
}

/** The form sends an empty field for the current owners. */
function readBlock(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  if (/^(0|[1-9][0-9]{0,14})$/.test(text.trim())) return Number(text);
  const message = words().problems.invalidBlock(clip(text));
  throw new ApiError("INVALID_REQUEST", [{ path: "at_block", message }]);
}
