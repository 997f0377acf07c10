/** The Information tab: the KEY field, and the app's current and past keys. */

import { Hono } from "hono";
import type { AppRow } from "../../access/apps/app-store.ts";
import type { KeyRow } from "../../access/keys/key-store.ts";
import { ApiError } from "../../http/errors.ts";
import { KEY_HEADER } from "../../http/key.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
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

const graces = {
  "86400": "for 24 more hours",
  "3600": "for one more hour",
  "604800": "for 7 more days",
  "0": "not at all",
} as const;

/** Whether the key works now. */
export const isLive = ({ revoked_at, expires_at }: KeyRow): boolean =>
  revoked_at === null && (expires_at === null || expires_at.getTime() > Date.now());

const State = ({ row }: { row: KeyRow }) => {
  if (row.revoked_at) return <Badge tone="bad">revoked</Badge>;
  if (!isLive(row)) return <Badge>ended</Badge>;
  if (!row.expires_at) return <Badge tone="good">in use</Badge>;
  return (
    <span class="row">
      <Badge tone="warn">ends</Badge> <When at={row.expires_at} />
    </span>
  );
};

const KeyField = ({ site, app, row }: { site: Site; app: AppRow; row: KeyRow }) => (
  <div class="stack key-field" data-key-field={site.to(`${pathOf(app)}/keys/${row.id}/reveal`)}>
    <div class="field">
      <label for="key">KEY</label>
      <input id="key" class="mono" readonly value={`${row.start}${"•".repeat(24)}`} spellcheck={false} />
    </div>
    <div class="row">
      <button type="button" class="button" data-show hidden>
        Show
      </button>
      <button type="button" class="button primary" data-copy hidden>
        Copy
      </button>
      <p class="soft" role="status" />
    </div>
  </div>
);

const KeyCard = ({ site, app, keys }: { site: Site; app: AppRow; keys: readonly KeyRow[] }) => {
  // The key without an expiry is the newest; older ones expire.
  const current = keys.findLast((row) => isLive(row) && row.expires_at === null) ?? keys.findLast(isLive);
  return (
    <Card
      title="Key"
      hint={`Send it in the header ${KEY_HEADER}. Anyone who has it can do what this app may do.`}
    >
      {current ? (
        <>
          <KeyField site={site} app={app} row={current} />
          <form
            method="post"
            action={site.to(`${pathOf(app)}/keys/${current.id}/rotate`)}
            class="inline-form"
          >
            <Field
              name="grace"
              label="Keep the old key for"
              options={Object.entries(graces)
                .map(([value, text]) => ({ value, text }))
                .sort((one, other) => Number(one.value) - Number(other.value))}
              value="86400"
            />
            <Button>Rotate the key</Button>
          </form>
        </>
      ) : (
        <>
          <Notice tone="warn">This app has no working key.</Notice>
          <form method="post" action={site.to(`${pathOf(app)}/keys`)}>
            <Button kind="primary">Create a key</Button>
          </form>
        </>
      )}
    </Card>
  );
};

const LastUse = ({ row }: { row: KeyRow }) =>
  row.last_used_at ? <When at={row.last_used_at} /> : <span class="soft">never</span>;

/** A dialog before the key stops working. The browser opens and closes it without script. */
const Revocation = ({ site, app, row }: { site: Site; app: AppRow; row: KeyRow }) => {
  const id = `revoke-${row.id}`;
  return (
    <>
      <button
        type="button"
        class="button danger slim"
        popovertarget={id}
        aria-haspopup="dialog"
        aria-label={`Revoke the key ${row.start}…`}
      >
        Revoke…
      </button>
      <dialog id={id} popover="auto" class="dialog" aria-labelledby={`${id}-title`}>
        <h2 id={`${id}-title`}>{`Revoke the key ${row.start}…?`}</h2>
        <p>
          {row.last_used_at ? (
            <>
              It was last used on <When at={row.last_used_at} />. Programs that still send it will be refused.
            </>
          ) : (
            "No request with it is on record."
          )}
        </p>
        <p>This can’t be undone. To replace a key without an interruption, rotate it instead.</p>
        <div class="row">
          <button type="button" class="button" popovertarget={id} popovertargetaction="hide" autofocus>
            Keep the key
          </button>
          <form method="post" action={site.to(`${pathOf(app)}/keys/${row.id}/revoke`)}>
            <Button kind="danger" label={`Revoke the key ${row.start}`}>
              Revoke the key
            </Button>
          </form>
        </div>
      </dialog>
    </>
  );
};

const KeyList = ({ site, app, keys }: { site: Site; app: AppRow; keys: readonly KeyRow[] }) => (
  <Card title="All keys of this app">
    <Table
      empty="No keys yet."
      caption="Keys"
      columns={["Key", "Created", "Last used", "State", ""]}
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

export function informationPages(site: Site): Hono<ConsoleEnv> {
  const { access } = site;

  /** A key of the path's app; throws NOT_FOUND for another app's key. */
  async function keyOf(c: ConsoleContext): Promise<{ app: AppRow; keyId: string }> {
    const app = await appOf(site, c);
    const keyId = idOf(c, "key");
    const keys = await access.listKeys(app.id);
    if (!keys.some(({ id }) => id === keyId)) throw new ApiError("NOT_FOUND");
    return { app, keyId };
  }

  return new Hono<ConsoleEnv>()
    .get("/apps/:app", async (c) => {
      const app = await appOf(site, c);
      const keys = await access.listKeys(app.id);
      const [requests, sample] = await Promise.all([
        site.apps.requestsOf(app.id),
        app.firstSuccessAt ? undefined : sampleTokenOf(site),
      ]);
      return render(
        site,
        c,
        { title: app.name, scripts: ["key-field.js", "first-request.js", "live.js"] },
        <AppFrame site={site} app={app} tab="">
          <FirstSteps site={site} app={app} requests={requests} hasKey={keys.some(isLive)} sample={sample} />
          <KeyCard site={site} app={app} keys={keys} />
          <Card title="About this app">
            <Facts
              rows={[
                ["Id", <code>{app.id}</code>],
                ["Created", <When at={app.createdAt} />],
                ["Owner", app.owner ? <code>{app.owner}</code> : "the operator"],
                ["Base URL", <code>{site.baseUrl}</code>],
              ]}
            />
          </Card>
          <KeyList site={site} app={app} keys={keys} />
        </AppFrame>,
      );
    })
    .post("/apps/:app/keys", async (c) => {
      const app = await appOf(site, c);
      const keys = await access.listKeys(app.id);
      if (!keys.some(isLive)) await site.apps.addKey(app.id, signedIn(c).actor);
      return goTo(site, c, pathOf(app), "key_made");
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
      if (!Object.hasOwn(graces, grace))
        throw new ApiError("INVALID_REQUEST", [{ path: "grace", message: "must be one of the choices" }]);
      await access.rotateKey(keyId, Number(grace), signedIn(c).actor);
      return goTo(site, c, pathOf(app), "rotated");
    })
    .post("/apps/:app/keys/:key/revoke", async (c) => {
      const { app, keyId } = await keyOf(c);
      await access.revokeKey(keyId, signedIn(c).actor);
      return goTo(site, c, pathOf(app), "revoked");
    });
}
