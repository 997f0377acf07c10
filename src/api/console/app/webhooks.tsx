/** The Webhooks tab: the app's webhooks, and a page for each with its deliveries. */

import { Hono } from "hono";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { AppRow } from "../../access/apps/app-store.ts";
import { ApiError } from "../../http/errors.ts";
import { FORM_TOKEN, newFormToken } from "../../http/form-token.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Card, Empty, Table } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { createWebhookCheck, newWebhookBody, rotationOf } from "../../webhooks/rules.ts";
import type { WebhookState } from "../../webhooks/service.ts";
import {
  appOf,
  type ConsoleContext,
  type ConsoleEnv,
  formOf,
  goTo,
  idOf,
  requirePartner,
  type Site,
  signedIn,
} from "../env.ts";
import { render } from "../frame.tsx";
import { AppFrame, pathOf } from "./app-frame.tsx";
import {
  About,
  Actions,
  Deliveries,
  Form,
  isChanged,
  NewSecret,
  Problem,
  State,
  seenIn,
  type WebhookForm,
  webhookPath,
} from "./webhook-parts.tsx";

const PAGE_ROWS = 50;
const DELIVERY_ID = /^[1-9][0-9]{0,17}$/;

interface Refusal {
  readonly values: WebhookForm;
  readonly errors: Readonly<Record<string, string>>;
}

const namesOf = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

export function webhookPages(site: Site): Hono<ConsoleEnv> {
  const { webhooks, collections } = site;
  const check = createWebhookCheck({ webhooks, collections });
  const at = "/apps/:app/webhooks";

  async function list(c: ConsoleContext, app: AppRow, refusal?: Refusal) {
    const text = words().consoleApp.webhooks;
    const hooks = await webhooks.list(app.id);
    const path = site.to(pathOf(app, "/webhooks"));
    return render(
      site,
      c,
      { title: text.title(app.name), status: refusal ? 400 : 200 },
      <AppFrame site={site} app={app} tab="/webhooks">
        {!app.apis.includes("market-partner") && <Empty>{text.notAllowed}</Empty>}
        <Card title={text.card} hint={text.hint}>
          <Table
            caption={text.caption}
            empty={text.none}
            columns={[
              text.columns.url,
              text.columns.description,
              text.columns.state,
              { head: text.columns.pending, isNumber: true },
            ]}
            rows={hooks.map((hook) => [
              <a href={site.to(webhookPath(app, hook.id))}>{hook.url}</a>,
              hook.description ?? "",
              <State hook={hook} />,
              formatNumber(hook.pending),
            ])}
          />
        </Card>
        <Card title={text.createTitle}>
          <Form action={path} submit={text.create} isOnce {...refusal} />
        </Card>
      </AppFrame>,
    );
  }

  async function show(
    c: ConsoleContext,
    app: AppRow,
    hook: WebhookState,
    { refusal, secret, isRotated = false }: { refusal?: Refusal; secret?: string; isRotated?: boolean } = {},
  ) {
    const { webhooks: text, deliveries } = words().consoleApp;
    const before = c.req.query("before");
    const rows = await webhooks.deliveries.list(app.id, hook.id, {
      limit: PAGE_ROWS,
      before: before !== undefined && DELIVERY_ID.test(before) ? before : undefined,
    });
    const last = rows.at(-1);
    const path = webhookPath(app, hook.id);
    const now: WebhookForm = {
      url: hook.url,
      description: hook.description ?? "",
      event_types: hook.eventTypes.join(", "),
      collections: hook.collections.join(", "),
    };
    return render(
      site,
      c,
      {
        title: text.titleOne(app.name),
        status: refusal ? 400 : 200,
        scripts: secret === undefined ? [] : ["key-field.js"],
      },
      <AppFrame site={site} app={app} tab="/webhooks">
        <p>
          <a href={site.to(pathOf(app, "/webhooks"))}>{text.all}</a>
        </p>
        {secret !== undefined && <NewSecret secret={secret} isRotated={isRotated} />}
        <Card title={hook.description ?? hook.url}>
          <div class="row">
            <State hook={hook} />
            <code>{hook.url}</code>
          </div>
          <Problem hook={hook} />
          <About hook={hook} />
          <Actions site={site} app={app} hook={hook} />
        </Card>
        <Card title={deliveries.title} hint={deliveries.hint}>
          <Deliveries site={site} app={app} hook={hook} rows={rows} />
          {rows.length === PAGE_ROWS && last && (
            <a class="button" href={site.to(`${path}?before=${last.id}`)}>
              {deliveries.older}
            </a>
          )}
        </Card>
        <Card title={text.change}>
          <Form
            action={site.to(path)}
            submit={text.save}
            seen={refusal ? seenIn(await formOf(c), now) : now}
            values={now}
            {...refusal}
          />
        </Card>
      </AppFrame>,
    );
  }

  /** The settings of a submitted form, or what is wrong with them. */
  async function read(c: ConsoleContext) {
    const { url = "", description = "", event_types = "", collections: names = "" } = await formOf(c);
    const values = { url: url.trim(), description, event_types, collections: names };
    const sent = {
      url: values.url,
      description: description.trim() || null,
      event_types: namesOf(event_types),
      collections: namesOf(names),
    };
    const parsed = newWebhookBody.safeParse(sent);
    const refusal = await check(parsed.success ? parsed : { ...parsed, data: sent });
    if (refusal) return { values, errors: errorsOf(refusal.details) };
    if (!parsed.success) throw parsed.error;
    const { event_types: eventTypes = [], collections: named = [], description: text = null } = parsed.data;
    const keys = (await collections.findRefs(named)).map(collectionKey);
    return { values, settings: { url: values.url, description: text, eventTypes, collections: keys } };
  }

  /** Runs a change; a refusal of it becomes errors of the form. */
  async function attempt<Result>(
    work: () => Promise<Result>,
  ): Promise<Result | { errors: Refusal["errors"] }> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiError && error.code === "INVALID_REQUEST")
        return { errors: errorsOf(error.details) };
      throw error;
    }
  }

  async function hookOf(c: ConsoleContext): Promise<{ app: AppRow; hook: WebhookState }> {
    const app = await appOf(site, c);
    return { app, hook: await webhooks.find(app.id, idOf(c, "hook")) };
  }

  const setStatus = (status: "active" | "paused") => async (c: ConsoleContext) => {
    const { app, hook } = await hookOf(c);
    if (status === "active") requirePartner(app);
    await webhooks.change(app.id, hook.id, { status }, signedIn(c).actor);
    return goTo(
      site,
      c,
      webhookPath(app, hook.id),
      status === "active" ? "webhook_resumed" : "webhook_paused",
    );
  };

  return new Hono<ConsoleEnv>()
    .get(at, async (c) => list(c, await appOf(site, c)))
    .post(at, async (c) => {
      const app = await appOf(site, c);
      requirePartner(app);
      const { values, settings, errors } = await read(c);
      if (!settings) return list(c, app, { values, errors });
      // A second click, or a reload of the answer, must not create another one.
      const token = (await formOf(c))[FORM_TOKEN] ?? newFormToken();
      const created = await attempt(() => webhooks.createOnce(app.id, settings, signedIn(c).actor, token));
      if ("errors" in created) return list(c, app, { values, errors: created.errors });
      const { webhook, secret } = created;
      if (secret === undefined) return goTo(site, c, webhookPath(app, webhook.id), "webhook_exists");
      return show(c, app, webhook, { secret });
    })
    .get(`${at}/:hook`, async (c) => {
      const { app, hook } = await hookOf(c);
      return show(c, app, hook);
    })
    .post(`${at}/:hook`, async (c) => {
      const { app, hook } = await hookOf(c);
      requirePartner(app);
      const { values, settings, errors } = await read(c);
      if (!settings) return show(c, app, hook, { refusal: { values, errors } });
      const form = await formOf(c);
      // Of somebody else's change since the form was opened, nothing is undone.
      const change = {
        ...(isChanged(form, "url") && { url: settings.url }),
        ...(isChanged(form, "description") && { description: settings.description }),
        ...(isChanged(form, "event_types") && { eventTypes: settings.eventTypes }),
        ...(isChanged(form, "collections") && { collections: settings.collections }),
      };
      const changed = await attempt(() => webhooks.change(app.id, hook.id, change, signedIn(c).actor));
      if ("errors" in changed) return show(c, app, hook, { refusal: { values, errors: changed.errors } });
      return goTo(site, c, webhookPath(app, hook.id), "webhook_changed");
    })
    .post(`${at}/:hook/pause`, setStatus("paused"))
    .post(`${at}/:hook/resume`, setStatus("active"))
    .post(`${at}/:hook/test`, async (c) => {
      const { app, hook } = await hookOf(c);
      requirePartner(app);
      await webhooks.deliveries.test(app.id, hook.id);
      return goTo(site, c, webhookPath(app, hook.id), "test_sent");
    })
    .post(`${at}/:hook/rotate`, async (c) => {
      const { app, hook } = await hookOf(c);
      requirePartner(app);
      // A second click, or a reload of the answer, must not end the secret that the receiver still verifies with.
      const { seen = rotationOf(hook) } = await formOf(c);
      const { webhook, secret } = await webhooks.rotateOnce(app.id, hook.id, signedIn(c).actor, seen);
      if (secret === undefined) return goTo(site, c, webhookPath(app, webhook.id), "secret_rotated_before");
      return show(c, app, webhook, { secret, isRotated: true });
    })
    .post(`${at}/:hook/delete`, async (c) => {
      const { app, hook } = await hookOf(c);
      await webhooks.remove(app.id, hook.id, signedIn(c).actor);
      return goTo(site, c, pathOf(app, "/webhooks"), "webhook_deleted");
    })
    .post(`${at}/:hook/deliveries/:delivery/resend`, async (c) => {
      const { app, hook } = await hookOf(c);
      requirePartner(app);
      await webhooks.deliveries.resend(app.id, hook.id, deliveryIn(c));
      return goTo(site, c, webhookPath(app, hook.id), "resent");
    })
    .post(`${at}/:hook/deliveries/:delivery/skip`, async (c) => {
      const { app, hook } = await hookOf(c);
      requirePartner(app);
      await webhooks.deliveries.skip(app.id, hook.id, deliveryIn(c), signedIn(c).actor);
      return goTo(site, c, webhookPath(app, hook.id), "delivery_skipped");
    });
}

/** The delivery that a path names. */
function deliveryIn(c: ConsoleContext): string {
  const id = c.req.param("delivery") ?? "";
  if (!DELIVERY_ID.test(id)) throw new ApiError("NOT_FOUND");
  return id;
}

/** By form field: `event_types[1]` is a problem of `event_types`. */
const errorsOf = (
  details: readonly { readonly path: string; readonly message: string }[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    details.map(({ path, message }) => [
      path.split("[", 1)[0],
      `${message[0]?.toUpperCase()}${message.slice(1)}.`,
    ]),
  );
