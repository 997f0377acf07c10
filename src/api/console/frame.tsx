/** The console's page frame, and the messages after a completed form. */

import type { Child, PropsWithChildren } from "hono/jsx";
import { Layout, page } from "../ui/layout.tsx";
import { Button, Notice } from "../ui/parts.tsx";
import type { ConsoleContext, Site } from "./env.ts";

/** The allowed values of `?done=`; nothing else of the URL is ever shown. */
const done: Readonly<Record<string, string>> = {
  created: "App created.",
  rotated: "Key rotated. The old key works until the end shown in the list of keys.",
  revoked: "Key revoked. Requests with it get 401, from every replica within 5 seconds.",
  key_made: "Key created.",
  requested: "Request sent to the operator.",
  granted_at_once: "Access granted. This API needs no approval.",
  already_requested: "This was requested already; the operator has not decided yet.",
  already_granted: "The app has this permission already.",
  proved: "The contract's owner has signed; the app may write the collection's information.",
  approved: "Approved.",
  refused: "Refused.",
  decided_before: "This request was already decided.",
  withdrawn: "Permission withdrawn; every replica refuses it within 5 seconds.",
  granted: "Permission granted.",
  host_added: "Host allowed.",
  host_allowed_already: "That host is allowed already.",
  host_removed: "Host removed from the list.",
  host_not_listed: "That host was not on the list.",
  information_saved: "Information saved; every page and answer shows it now.",
  type_approved: "Display type changed; every token shows it now.",
  not_pending: "That display type has no pending entries any more.",
  refresh_started: "Refresh queued.",
  refresh_cancelled: "Refresh cancelled; what was fetched stays recorded.",
  webhook_changed: "Webhook changed.",
  webhook_deleted: "Webhook deleted; nothing more is sent to it.",
  webhook_paused: "Webhook paused. It still collects events, for 7 days each.",
  webhook_resumed: "Webhook resumed; what is pending is sent now, in order.",
  test_sent: "Test queued. Reload this page for its outcome.",
  delivery_skipped: "Skipped. Later events of the token are sent now.",
  resent: "Delivery queued again. Reload this page for its outcome.",
  sessions_ended: "All sessions ended.",
};

export const shortAddress = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`;

export interface FrameProps {
  readonly site: Site;
  readonly c: ConsoleContext;
  readonly title: string;
  readonly scripts?: readonly string[];
  readonly width?: "narrow" | "wide";
  /** Sheets beside the one of every page, by path. */
  readonly styles?: readonly string[];
}

const Pending = ({ count }: { count: number }) => (
  <span id="pending" data-live>
    {count > 0 && (
      <span class="badge warn">
        {count.toLocaleString("en-US")}
        <span class="visually-hidden">{count === 1 ? " pending request" : " pending requests"}</span>
      </span>
    )}
  </span>
);

const Frame = ({
  site,
  c,
  title,
  scripts = [],
  styles = [],
  width = "wide",
  children,
}: PropsWithChildren<FrameProps>) => {
  const session = c.get("session");
  const isOperating = c.req.path.includes("/operator");
  const links = [
    { href: "/console", text: "Apps", isCurrent: session !== undefined && !isOperating },
    ...(session?.isOperator
      ? [
          {
            href: "/console/operator",
            text: "Operator",
            isCurrent: isOperating,
            end: <Pending count={c.get("openRequests") ?? 0} />,
          },
        ]
      : []),
    { href: "/collections", text: "Collections" },
    { href: "/reference", text: "API reference" },
  ];
  const named = c.req.query("done") ?? "";
  const notice = Object.hasOwn(done, named) ? done[named] : undefined;
  const end = session && (
    <form method="post" action={site.to("/console/sign-out")} class="row">
      <span class="soft small" title={session.address ?? undefined}>
        {session.address ? shortAddress(session.address) : "Operator"}
      </span>
      <Button isSlim>Sign out</Button>
    </form>
  );
  return (
    <Layout
      title={title}
      to={site.to}
      nav={session ? links : []}
      end={end}
      nonce={c.get("secureHeadersNonce")}
      scripts={scripts.map((name) => `/console/files/${name}`)}
      styles={styles}
      width={width}
    >
      {notice && <Notice tone="good">{notice}</Notice>}
      {children}
    </Layout>
  );
};

/** Renders a console page. */
export function render(
  site: Site,
  c: ConsoleContext,
  options: Omit<FrameProps, "site" | "c"> & { readonly status?: 200 | 400 },
  content: Child,
): Response | Promise<Response> {
  const { status = 200, ...frame } = options;
  return c.html(
    page(
      <Frame site={site} c={c} {...frame}>
        {content}
      </Frame>,
    ),
    status,
  );
}
