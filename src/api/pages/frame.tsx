/** The frame of every page, and the error pages. */

import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { printable } from "../../domain/printable.ts";
import { prefersHtml } from "../http/accept.ts";
import { answerError, toApiError } from "../http/router.ts";
import { Layout, page } from "../ui/layout.tsx";
import { Card, Notice, Title } from "../ui/parts.tsx";
import { ProblemDetails, problemOf, Retry } from "../ui/problem.tsx";
import type { PageSources } from "../ui/site.ts";
import { words } from "../ui/visitor.ts";
import type { PagesContext, Site } from "./env.ts";
import { plain } from "./text.tsx";

export interface FrameProps {
  readonly title: string;
  /** What is said of the page elsewhere; texts may be untrusted, `path` is its one address. */
  readonly about?: {
    readonly description: string;
    readonly path?: string;
    readonly image?: string | null | undefined;
    readonly isUnlisted?: boolean;
  };
  /** The text in the search box. */
  readonly search?: string;
  readonly scripts?: readonly string[];
  /** Of a page that loads no script before it is used. */
  readonly isScriptLate?: boolean;
  readonly width?: "narrow" | "wide" | "gallery";
  /** This page's entry in the navigation. */
  readonly nav?: "collections";
  readonly sources?: PageSources;
  readonly status?: ContentfulStatusCode;
}

/** Renders a page. Its title may contain untrusted text. */
export function render(
  { baseUrl, to }: Site,
  c: PagesContext,
  {
    title,
    about,
    search = "",
    scripts = [],
    isScriptLate = false,
    width = "wide",
    nav,
    sources,
    status = 200,
  }: FrameProps,
  content: Child,
): Response | Promise<Response> {
  const { layout } = words();
  if (sources) c.set("sources", sources);
  // The content changes with every block, so a returning visitor gets a new page.
  c.header("Cache-Control", "private, no-cache");
  return c.html(
    page(
      <Layout
        title={plain(title)}
        about={about && shared(baseUrl, about)}
        to={to}
        search={search}
        nav={[
          { href: "/collections", text: layout.collections, isCurrent: nav === "collections" },
          { href: "/console", text: layout.console },
          { href: "/reference", text: layout.api },
        ]}
        nonce={c.get("secureHeadersNonce")}
        styles={["/collections/files/pages.css"]}
        scripts={scripts.map((name) => `/collections/files/${name}`)}
        isScriptLate={isScriptLate}
        width={width}
      >
        {content}
      </Layout>,
    ),
    status,
  );
}

const DESCRIPTION_CHARACTERS_MAX = 200;
const SHARE_PICTURE = "/assets/share.png";

/** With absolute URLs. A picture that its host serves elsewhere than here is as good as ours. */
function shared(baseUrl: string, { description, path, image, isUnlisted }: NonNullable<FrameProps["about"]>) {
  return {
    description: printable(description, DESCRIPTION_CHARACTERS_MAX),
    ...(path !== undefined && { url: `${baseUrl}${path}` }),
    image: image?.startsWith("http") ? image : `${baseUrl}${SHARE_PICTURE}`,
    ...(isUnlisted && { isUnlisted }),
  };
}

export const NotReady = () => <Notice tone="warn">{words().problems.notReady}</Notice>;

/** The same on a page about several chains. */
export const NotAllReady = () => <Notice tone="warn">{words().problems.notAllReady}</Notice>;

// The details say what is unavailable, and when to retry.
const textOf = (code: string, isExplained: boolean, text: string): string => {
  const { noCollection, noToken, unavailable } = words().problems;
  if (code === "COLLECTION_NOT_FOUND") return noCollection;
  if (code === "TOKEN_NOT_FOUND") return noToken;
  return isExplained ? unavailable : text;
};

/** A page for people, the API's error for programs. */
export function answerProblem(error: Error, c: PagesContext, site: Site): Response | Promise<Response> {
  // Logs unexpected errors, whoever the caller is.
  const answer = answerError(error, c, site.logger);
  if (!prefersHtml(c)) return answer;
  const { code, status, details } = toApiError(error);
  const { title, text } = problemOf(words().problems, status);
  const isExplained = code === "UNAVAILABLE" && details.length > 0;
  return render(
    site,
    c,
    { title, width: "narrow", status: status as ContentfulStatusCode },
    <>
      <Title>{title}</Title>
      <Card>
        <p>{textOf(code, isExplained, text)}</p>
        <ProblemDetails c={c} details={details} />
        <p class="row">
          <Retry c={c} to={site.to} status={status} />
          <a class="button" href={site.to("/collections")}>
            {words().problems.all}
          </a>
        </p>
      </Card>
    </>,
  );
}
