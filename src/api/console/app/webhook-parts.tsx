/** The parts of the Webhooks tab: a webhook's state, its deliveries, the form, and a new secret. */

import type { AppRow } from "../../access/apps/app-store.ts";
import { eventTypes } from "../../events/rules.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { DeliveryRow } from "../../webhooks/delivery-store.ts";
import { rotationOf } from "../../webhooks/rules.ts";
import type { WebhookState } from "../../webhooks/service.ts";
import { Confirmed } from "../confirmed.tsx";
import type { Site } from "../env.ts";
import { FormToken } from "../form-token.tsx";
import { pathOf } from "./app-frame.tsx";

export interface WebhookPart {
  readonly site: Site;
  readonly app: AppRow;
  readonly hook: WebhookState;
}

export const webhookPath = (app: { readonly id: string }, id: string): string =>
  `${pathOf(app, "/webhooks")}/${id}`;

export const State = ({ hook }: { hook: WebhookState }) => {
  const text = words().consoleApp.webhooks.states;
  if (hook.status === "paused") return <Badge tone="bad">{text.paused}</Badge>;
  return hook.failingSince ? (
    <Badge tone="warn">{text.failing}</Badge>
  ) : (
    <Badge tone="good">{text.active}</Badge>
  );
};

/** Says why a webhook gets nothing, where it is on the page. */
export const Problem = ({ hook }: { hook: WebhookState }) => {
  const text = words().consoleApp.webhooks;
  if (hook.status === "paused" && hook.pausedAt) {
    const [before, after] = text.pausedSince;
    return (
      <Notice tone={hook.pausedReason === "requested" ? "warn" : "bad"}>
        {before} <When at={hook.pausedAt} />
        {after} {text.reasons[hook.pausedReason ?? "requested"]}
      </Notice>
    );
  }
  if (!hook.failingSince) return null;
  const [before, after] = text.failingSince;
  return (
    <Notice tone="warn">
      {before} <When at={hook.failingSince} />
      {after}
    </Notice>
  );
};

const listed = (names: readonly string[]): string =>
  names.length === 0 ? words().consoleApp.webhooks.everything : names.join(", ");

export const About = ({ hook }: { hook: WebhookState }) => {
  const text = words().consoleApp.webhooks.facts;
  return (
    <Facts
      rows={[
        [text.id, <code>{hook.id}</code>],
        [text.events, listed(hook.eventTypes)],
        [text.collections, listed(hook.collections)],
        [text.created, <When at={hook.createdAt} />],
        [text.pending, formatNumber(hook.pending)],
        ...(hook.oldSecretUntil ? [[text.oldSecret, <When at={hook.oldSecretUntil} />] as const] : []),
      ]}
    />
  );
};

export const Actions = ({ site, app, hook }: WebhookPart) => {
  const text = words().consoleApp.webhooks;
  const act = (
    name: string,
    title: string,
    { kind = "plain", seen }: { kind?: "primary" | "plain"; seen?: string } = {},
  ) => (
    <form method="post" action={site.to(`${webhookPath(app, hook.id)}/${name}`)}>
      {seen !== undefined && <input type="hidden" name="seen" value={seen} />}
      <Button kind={kind}>{title}</Button>
    </form>
  );
  return (
    <div class="row">
      {hook.status === "paused" ? act("resume", text.resume, { kind: "primary" }) : act("pause", text.pause)}
      {act("test", text.test)}
      {act("rotate", text.rotate, { seen: rotationOf(hook) })}
      <Confirmed
        id="delete-webhook"
        ask={text.deleteAsk}
        question={text.deleteQuestion}
        keep={text.deleteKeep}
        confirm={text.delete}
        action={site.to(`${webhookPath(app, hook.id)}/delete`)}
      >
        <p>{text.deleteNote}</p>
      </Confirmed>
    </div>
  );
};

export const NewSecret = ({ secret, isRotated }: { secret: string; isRotated: boolean }) => {
  const text = words().consoleApp.webhooks;
  return (
    <Card title={text.secretTitle} hint={isRotated ? text.rotatedSecret : text.newSecret}>
      <div class="stack key-field" data-key-field="">
        <div class="field">
          <label for="secret">{text.secret}</label>
          <input id="secret" class="mono" readonly value={secret} spellcheck={false} autocomplete="off" />
        </div>
        <div class="row">
          <button type="button" class="button primary" data-copy hidden>
            {text.copySecret}
          </button>
          <p class="soft" role="status" />
        </div>
      </div>
    </Card>
  );
};

const fieldNames = ["url", "description", "event_types", "collections"] as const;
type FieldName = (typeof fieldNames)[number];

/** What was sent, or is there now; names are separated by commas. */
export type WebhookForm = Readonly<Record<FieldName, string>>;

const seenName = (name: FieldName): string => `seen_${name}`;

/** The settings that a form was opened with; those of `now` where it sends none. */
export const seenIn = (sent: Readonly<Record<string, string>>, now: WebhookForm): WebhookForm =>
  Object.fromEntries(fieldNames.map((name) => [name, sent[seenName(name)] ?? now[name]])) as WebhookForm;

// A browser drops line breaks from a field of one line, but keeps them in a hidden one.
const inOneLine = (text: string): string => text.replace(/[\r\n]/g, "").trim();

/** Whether a form changes a setting that it was opened with. */
export const isChanged = (sent: Readonly<Record<string, string>>, name: FieldName): boolean => {
  const seen = sent[seenName(name)];
  return seen === undefined || inOneLine(seen) !== inOneLine(sent[name] ?? "");
};

export const Form = ({
  action,
  submit,
  isOnce = false,
  seen,
  values,
  errors = {},
}: {
  action: string;
  /** The text of its button. */
  submit: string;
  /** Whether it creates a webhook, which it does once. */
  isOnce?: boolean;
  /** The settings that it was opened with; it changes none that still equals them. */
  seen?: WebhookForm;
  values?: WebhookForm | undefined;
  errors?: Readonly<Record<string, string>> | undefined;
}) => {
  const text = words().consoleApp.webhooks;
  return (
    <form method="post" action={action} class="stack">
      {isOnce && <FormToken />}
      {seen && fieldNames.map((name) => <input type="hidden" name={seenName(name)} value={seen[name]} />)}
      {errors[""] && <Notice tone="bad">{errors[""]}</Notice>}
      <Field
        name="url"
        label={text.url}
        hint={text.urlHint}
        required
        maxlength={2048}
        autocomplete="off"
        value={values?.url}
        error={errors.url}
      />
      <Field
        name="description"
        label={text.description}
        maxlength={200}
        autocomplete="off"
        value={values?.description}
        error={errors.description}
      />
      <Field
        name="event_types"
        label={text.events}
        hint={text.eventsHint(eventTypes.join(", "))}
        autocomplete="off"
        value={values?.event_types}
        error={errors.event_types}
      />
      <Field
        name="collections"
        label={text.collections}
        hint={text.collectionsHint}
        autocomplete="off"
        value={values?.collections}
        error={errors.collections}
      />
      <div>
        <Button kind="primary">{submit}</Button>
      </div>
    </form>
  );
};

const tones = { delivered: "good", pending: "warn", failed: "bad", skipped: "warn" } as const;

const outcomeOf = ({ responseStatus, error, attempts }: DeliveryRow): string =>
  error ??
  (responseStatus === null
    ? attempts === 0
      ? words().consoleApp.deliveries.notSent
      : ""
    : String(responseStatus));

export const Deliveries = ({
  site,
  app,
  hook,
  rows,
}: WebhookPart & { readonly rows: readonly DeliveryRow[] }) => {
  const text = words().consoleApp.deliveries;
  return (
    <Table
      caption={text.caption}
      empty={text.none}
      columns={[
        text.columns.event,
        text.columns.created,
        text.columns.state,
        { head: text.columns.attempts, isNumber: true },
        text.columns.lastAnswer,
        text.columns.lastAttempt,
        "",
      ]}
      rows={rows.map((row) => [
        <span>
          {row.kind === "resend" ? text.sentAgain(row.eventType) : row.eventType}
          <br />
          <code class="small">{row.subject}</code>
        </span>,
        <When at={row.createdAt} />,
        <Badge tone={tones[row.status]}>{text.states[row.status]}</Badge>,
        row.attempts,
        outcomeOf(row),
        row.attemptedAt ? <When at={row.attemptedAt} /> : "",
        <div class="row">
          <form method="post" action={site.to(`${webhookPath(app, hook.id)}/deliveries/${row.id}/resend`)}>
            <Button isSlim label={text.sendNamed(row.id)}>
              {row.status === "pending" ? text.sendNow : text.sendAgain}
            </Button>
          </form>
          {row.status === "pending" && (
            <form method="post" action={site.to(`${webhookPath(app, hook.id)}/deliveries/${row.id}/skip`)}>
              <Button isSlim kind="danger" label={text.skipNamed(row.id)}>
                {text.skip}
              </Button>
            </form>
          )}
        </div>,
      ])}
    />
  );
};
