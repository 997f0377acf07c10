/** The console's page frame, and the messages after a completed form. */

import type { Child, PropsWithChildren } from "hono/jsx";
import { Layout, page } from "../ui/layout.tsx";
import { formatNumber } from "../ui/numbers.ts";
import { Button, Notice } from "../ui/parts.tsx";
import { shortAddress } from "../ui/short-address.ts";
import { words } from "../ui/visitor.ts";
import type { ConsoleContext, Site } from "./env.ts";
import { textsOf } from "./script-texts.ts";

export interface FrameProps {
  readonly site: Site;
  readonly c: ConsoleContext;
  readonly title: string;
  readonly scripts?: readonly string[];
  /** Where the parts that update live are read, for the answer to a form, whose own address only takes forms. */
  readonly liveUrl?: string | undefined;
  readonly width?: "narrow" | "wide";
  /** Sheets beside the one of every page, by path. */
  readonly styles?: readonly string[];
}

const Pending = ({ count }: { count: number }) => (
  <span id="pending" data-live>
    {count > 0 && (
      <span class="badge warn">
        {formatNumber(count)}
        <span class="visually-hidden">{` ${words().consoleFrame.pending(count)}`}</span>
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
  liveUrl,
  width = "wide",
  children,
}: PropsWithChildren<FrameProps>) => {
  const { consoleFrame: texts, layout } = words();
  const session = c.get("session");
  const isOperating = c.req.path.includes("/operator");
  const links = [
    { href: "/console", text: texts.apps, isCurrent: session !== undefined && !isOperating },
    ...(session?.isOperator
      ? [
          {
            href: "/console/operator",
            text: texts.operator,
            isCurrent: isOperating,
            end: <Pending count={c.get("openRequests") ?? 0} />,
          },
        ]
      : []),
    { href: "/collections", text: layout.collections },
    { href: "/reference", text: layout.reference },
  ];
  const named = c.req.query("done") ?? "";
  const known: Readonly<Record<string, string>> = texts.done;
  // Nothing else of the URL is ever shown.
  const notice = Object.hasOwn(known, named) ? known[named] : undefined;
  const end = session && (
    <form method="post" action={site.to("/console/sign-out")} class="row">
      <span class="soft small" title={session.address ?? undefined}>
        {session.address ? shortAddress(session.address) : texts.operator}
      </span>
      <Button isSlim>{texts.signOut}</Button>
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
      {scripts.length > 0 && (
        <div id="script-texts" hidden data-texts={JSON.stringify(textsOf(scripts))} data-live-url={liveUrl} />
      )}
    </Layout>
  );
};

/** Renders a console page. */
export function render(
  site: Site,
  c: ConsoleContext,
  options: Omit<FrameProps, "site" | "c"> & { readonly status?: 200 | 400 | 409 },
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
