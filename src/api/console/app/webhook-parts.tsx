/** The parts of the Webhooks tab: a webhook's state, its deliveries, the form, and a new secret. */

import type { AppRow } from "../../access/apps/app-store.ts";
import { eventTypes } from "../../events/rules.ts";
import { Badge, Button, Card, Facts, Field, Notice, Table, When } from "../../ui/parts.tsx";
import type { DeliveryRow } from "../../webhooks/delivery-store.ts";
import type { WebhookState } from "../../webhooks/service.ts";
import type { Site } from "../env.ts";
import { pathOf } from "./app-frame.tsx";

export interface WebhookPart {
  readonly site: Site;
  readonly app: AppRow;
  readonly hook: WebhookState;
}

export const webhookPath = (app: { readonly id: string }, id: string): string =>
  `${pathOf(app, "/webhooks")}/${id}`;

const reasons = {
  requested: "Somebody paused it.",
  failing: "An event failed for three days. Repair the receiver, then resume.",
  gone: "The receiver answered 410: it wants nothing more.",
} as const;

export const State = ({ hook }: { hook: WebhookState }) => {
  if (hook.status === "paused") return <Badge tone="bad">paused</Badge>;
  return hook.failingSince ? <Badge tone="warn">failing</Badge> : <Badge tone="good">active</Badge>;
};

/** Says why a webhook gets nothing, where it is on the page. */
export const Problem = ({ hook }: { hook: WebhookState }) => {
  if (hook.status === "paused" && hook.pausedAt)
    return (
      <Notice tone={hook.pausedReason === "requested" ? "warn" : "bad"}>
        Paused since <When at={hook.pausedAt} />. {reasons[hook.pausedReason ?? "requested"]}
      </Notice>
    );
  if (!hook.failingSince) return null;
  return (
    <Notice tone="warn">
      Failing since <When at={hook.failingSince} />. After three days of failures of one event, it is paused.
    </Notice>
  );
};

const listed = (names: readonly string[]): string => (names.length === 0 ? "all" : names.join(", "));

export const About = ({ hook }: { hook: WebhookState }) => (
  <Facts
    rows={[
      ["Id", <code>{hook.id}</code>],
      ["Events", listed(hook.eventTypes)],
      ["Collections", listed(hook.collections)],
      ["Created", <When at={hook.createdAt} />],
      ["Pending deliveries", hook.pending.toLocaleString("en-US")],
      ...(hook.oldSecretUntil
        ? [["Old secret signs until", <When at={hook.oldSecretUntil} />] as const]
        : []),
    ]}
  />
);

export const Actions = ({ site, app, hook }: WebhookPart) => {
  const act = (name: string, text: string, kind: "primary" | "danger" | "plain" = "plain") => (
    <form method="post" action={site.to(`${webhookPath(app, hook.id)}/${name}`)}>
      <Button kind={kind}>{text}</Button>
    </form>
  );
  return (
    <div class="row">
      {hook.status === "paused" ? act("resume", "Resume", "primary") : act("pause", "Pause")}
      {act("test", "Send a test")}
      {act("rotate", "Rotate the secret")}
      {act("delete", "Delete", "danger")}
    </div>
  );
};

export const NewSecret = ({ secret, isRotated }: { secret: string; isRotated: boolean }) => (
  <Card
    title="Signing secret"
    hint={
      isRotated
        ? "Copy it now: it is not shown again. For 24 hours, deliveries carry signatures by this one and by the one before."
        : "Copy it now: it is not shown again. Your server verifies each delivery with it."
    }
  >
    <div class="field">
      <label for="secret">SECRET</label>
      <input id="secret" class="mono" readonly value={secret} spellcheck={false} autocomplete="off" />
    </div>
  </Card>
);

/** What was sent, or is there now; names are separated by commas. */
export interface WebhookForm {
  readonly url: string;
  readonly description: string;
  readonly event_types: string;
  readonly collections: string;
}

export const Form = ({
  action,
  text,
  values,
  errors = {},
}: {
  action: string;
  text: string;
  values?: WebhookForm | undefined;
  errors?: Readonly<Record<string, string>> | undefined;
}) => (
  <form method="post" action={action} class="stack">
    {errors[""] && <Notice tone="bad">{errors[""]}</Notice>}
    <Field
      name="url"
      label="URL"
      hint="https, at a public host. Redirects are not followed."
      required
      maxlength={2048}
      autocomplete="off"
      value={values?.url}
      error={errors.url}
    />
    <Field
      name="description"
      label="Description"
      maxlength={200}
      autocomplete="off"
      value={values?.description}
      error={errors.description}
    />
    <Field
      name="event_types"
      label="Events"
      hint={`Separated by commas: ${eventTypes.join(", ")}. Empty for all.`}
      autocomplete="off"
      value={values?.event_types}
      error={errors.event_types}
    />
    <Field
      name="collections"
      label="Collections"
      hint="Addresses, or chain id:address, separated by commas. Empty for all."
      autocomplete="off"
      value={values?.collections}
      error={errors.collections}
    />
    <div>
      <Button kind="primary">{text}</Button>
    </div>
  </form>
);

const tones = { delivered: "good", pending: "warn", failed: "bad", skipped: "warn" } as const;

const outcomeOf = ({ responseStatus, error, attempts }: DeliveryRow): string =>
  error ?? (responseStatus === null ? (attempts === 0 ? "not sent yet" : "") : String(responseStatus));

export const Deliveries = ({
  site,
  app,
  hook,
  rows,
}: WebhookPart & { readonly rows: readonly DeliveryRow[] }) => (
  <Table
    caption="Deliveries of the last 7 days, newest first"
    empty="Nothing was sent in the last 7 days."
    columns={[
      "Event",
      "Created",
      "State",
      { head: "Attempts", isNumber: true },
      "Last answer",
      "Last attempt",
      "",
    ]}
    rows={rows.map((row) => [
      <span>
        {row.kind === "resend" ? `${row.eventType} (sent again)` : row.eventType}
        <br />
        <code class="small">{row.subject}</code>
      </span>,
      <When at={row.createdAt} />,
      <Badge tone={tones[row.status]}>{row.status}</Badge>,
      row.attempts,
      outcomeOf(row),
      row.attemptedAt ? <When at={row.attemptedAt} /> : "",
      <div class="row">
        <form method="post" action={site.to(`${webhookPath(app, hook.id)}/deliveries/${row.id}/resend`)}>
          <Button isSlim label={`Send delivery ${row.id} again`}>
            {row.status === "pending" ? "Send now" : "Send again"}
          </Button>
        </form>
        {row.status === "pending" && (
          <form method="post" action={site.to(`${webhookPath(app, hook.id)}/deliveries/${row.id}/skip`)}>
            <Button isSlim kind="danger" label={`Skip delivery ${row.id}`}>
              Skip
            </Button>
          </form>
        )}
      </div>,
    ])}
  />
);
