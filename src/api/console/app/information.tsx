/** The Information tab: the KEY field, and the app's current and past keys. */

import { Hono } from "hono";
import type { AppRow } from "../../access/apps/app-store.ts";
import type { KeyRow } from "../../access/keys/key-store.ts";
import { ApiError } from "../../http/errors.ts";
import { KEY_HEADER } from "../../http/key.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { Confirmed } from "../confirmed.tsx";
import {
  appOf,
  type ConsoleContext,
  type ConsoleEnv,
  formOf,
  goTo,
  idOf,
  type Site,
  signedIn,
} from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import { FirstSteps, sampleTokenOf } from "./first-steps.tsx";

/** How many seconds the old key may keep working. */
const graces = ["0", "3600", "86400", "604800"] as const;

/** Whether the key works now. */
export const isLive = ({ revoked_at, expires_at }: KeyRow): boolean =>
  revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now());

const State = ({ row }: { row: KeyRow }) => {
  const text = words().consoleApp.keys.states;
  if (row.revoked_at) return <Badge tone="bad">{text.revoked}</Badge>;
  if (!isLive(row)) return <Badge>{text.ended}</Badge>;
  if (!row.expires_at) return <Badge tone="good">{text.used}</Badge>;
  return (
    <span class="row">
      <Badge tone="warn">{text.ends}</Badge> <When at={row.expires_at} />
    </span>
  );
};

const KeyField = ({ site, app, row }: { site: Site; app: AppRow; row: KeyRow }) => (
  <div class="stack key-field" data-key-field={site.to(`${pathOf(app)}/keys/${row.id}/reveal`)}>
    <div class="field">
      <label for="key">{words().consoleApp.keys.field}</label>
      <input id="key" class="mono" readonly value={`${row.start}${"•".repeat(24)}`} spellcheck={false} />
    </div>
    <div class="row">
      <button type="button" class="button" data-show hidden>
        {words().consoleApp.keys.show}
      </button>
      <button type="button" class="button primary" data-copy hidden>
        {words().consoleApp.keys.copy}
      </button>
      <p class="soft" role="status" />
    </div>
  </div>
);

const KeyCard = ({ site, app, keys }: { site: Site; app: AppRow; keys: readonly KeyRow[] }) => {
  const text = words().consoleApp.keys;
  // The key without an expiry is the newest; older ones expire.
  const lasting = keys.findLast((row) => isLive(row) && row.expires_at === null);
  const current = lasting ?? keys.findLast(isLive);
  return (
    <Card title={text.title} hint={text.hint(KEY_HEADER)}>
      {current ? <KeyField site={site} app={app} row={current} /> : <Notice tone="warn">{text.none}</Notice>}
      {lasting ? (
        <form method="post" action={site.to(`${pathOf(app)}/keys/${lasting.id}/rotate`)} class="inline-form">
          <Field
            name="grace"
            label={text.keepFor}
            options={graces.map((value) => ({ value, text: text.graces[value] }))}
            value="86400"
          />
          <Button>{text.rotate}</Button>
        </form>
      ) : (
        <form method="post" action={site.to(`${pathOf(app)}/keys`)}>
          <Button kind="primary">{text.create}</Button>
        </form>
      )}
    </Card>
  );
};

const LastUse = ({ row }: { row: KeyRow }) =>
  row.last_used_at ? (
    <When at={row.last_used_at} />
  ) : (
    <span class="soft">{words().consoleApp.keys.neverUsed}</span>
  );

/** Asks before the key stops working. */
const Revocation = ({ site, app, row }: { site: Site; app: AppRow; row: KeyRow }) => {
  const text = words().consoleApp.keys;
  const [before, after] = text.lastUsed;
  return (
    <Confirmed
      id={`revoke-${row.id}`}
      ask={text.revokeShort}
      askNamed={text.revokeLong(row.start)}
      question={text.revokeQuestion(row.start)}
      keep={text.keep}
      confirm={text.revoke}
      confirmNamed={text.revokeNamed(row.start)}
      isSlim
      action={site.to(`${pathOf(app)}/keys/${row.id}/revoke`)}
    >
      <p>
        {row.last_used_at ? (
          <>
            {before} <When at={row.last_used_at} />
            {after}
          </>
        ) : (
          text.unused
        )}
      </p>
      <p>{text.noUndo}</p>
    </Confirmed>
  );
};

const KeyList = ({ site, app, keys }: { site: Site; app: AppRow; keys: readonly KeyRow[] }) => {
  const text = words().consoleApp.keys;
  return (
    <Card title={text.all} hint={text.allHint}>
      <Table
        empty={text.noKeys}
        caption={text.caption}
        columns={[text.columns.key, text.columns.created, text.columns.lastUsed, text.columns.state, ""]}
        rows={keys
          .toReversed()
          .map((row) => [
            <code>{`${row.start}…`}</code>,
            <When at={row.created_at} />,
            <LastUse row={row} />,
            <State row={row} />,
            isLive(row) && <Revocation site={site} app={app} row={row} />,
          ])}
      />
    </Card>
  );
};

export function informationPages(site: Site): Hono<ConsoleEnv> {
  const { access } = site;

  /** A key of the path's app; throws NOT_FOUND for another app's key. */
  async function keyOf(c: ConsoleContext): Promise<{ app: AppRow; keyId: string }> {
    const app = await appOf(site, c);
    const keyId = idOf(c, "key");
    if (!(await access.hasKey(app.id, keyId))) throw new ApiError("NOT_FOUND");
    return { app, keyId };
  }

  return new Hono<ConsoleEnv>()
    .get("/apps/:app", async (c) => {
      const text = words().consoleApp.about;
      const app = await appOf(site, c);
      const keys = await access.keysOf(app.id);
      const [requests, sample] = await Promise.all([
        site.apps.requestsOf(app.id),
        app.firstSuccessAt ? undefined : sampleTokenOf(site),
      ]);
      return render(
        site,
        c,
        // In the page's order: what one shows would move what is below it, and a click there would be lost.
        { title: app.name, scripts: ["first-request.js", "key-field.js", "live.js"] },
        <AppFrame site={site} app={app} tab="">
          <FirstSteps site={site} app={app} requests={requests} hasKey={keys.some(isLive)} sample={sample} />
          <KeyCard site={site} app={app} keys={keys} />
          <Card title={text.title}>
            <Facts
              rows={[
                [text.id, <code>{app.id}</code>],
                [text.created, <When at={app.createdAt} />],
                [text.owner, app.owner ? <code>{app.owner}</code> : text.operator],
                [text.baseUrl, <code>{site.baseUrl}</code>],
              ]}
            />
          </Card>
          <KeyList site={site} app={app} keys={keys} />
        </AppFrame>,
      );
    })
    .post("/apps/:app/keys", async (c) => {
      const app = await appOf(site, c);
      const isCreated = await access.createFirstKey(app.id, signedIn(c).actor);
      return goTo(site, c, pathOf(app), isCreated ? "key_made" : "key_exists");
    })
    .post("/apps/:app/keys/:key/reveal", async (c) => {
      const { keyId } = await keyOf(c);
      const revealed = await access.revealKey(keyId, signedIn(c).actor);
      if (revealed.kind === "key") return c.json({ key: revealed.key });
      const message =
        revealed.kind === "unknown"
          ? "This key no longer works."
          : "This key works but can't be shown here; rotate it to get one that can.";
      throw new ApiError("NOT_FOUND", [{ path: "key", message }]);
    })
    .post("/apps/:app/keys/:key/rotate", async (c) => {
      const { app, keyId } = await keyOf(c);
      const { grace = "" } = await formOf(c);
      if (!graces.some((each) => each === grace))
        throw new ApiError("INVALID_REQUEST", [{ path: "grace", message: "must be one of the choices" }]);
      const { kind } = await access.rotateKey(keyId, Number(grace), signedIn(c).actor);
      const rotated = grace === "0" ? "rotated_at_once" : "rotated";
      const done = { rotated, rotated_before: "rotated_before", unknown: "key_ended" }[kind];
      return goTo(site, c, pathOf(app), done);
    })
    .post("/apps/:app/keys/:key/revoke", async (c) => {
      const { app, keyId } = await keyOf(c);
      const isRevoked = await access.revokeKey(keyId, signedIn(c).actor);
      return goTo(site, c, pathOf(app), isRevoked ? "revoked" : "revoked_before");
    });
}
