/**
 * Shows a notice while a collection's search index is loaded, which happens at its first use; the page reloads by
 * itself.
 */

import { withTimeout } from "../../async/timeout.ts";
import { Notice, Title } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import type { PagesContext, Site } from "../env.ts";
import { render } from "../frame.tsx";

// An index of a million tokens takes half a minute, longer than anybody stays on an empty tab.
const LOAD_MS = 3_000;
const AGAIN_SECONDS = "3";

/** The answer, or undefined if it takes longer than a visitor waits. Throws if the answer fails. */
export const soon = <Answer,>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  withTimeout(LOAD_MS, answer, { rethrow: true });

/** Asks the browser to reload; a program gets Retry-After. */
export function stillLoading(site: Site, c: PagesContext): Response | Promise<Response> {
  const { problems } = words();
  c.header("Refresh", AGAIN_SECONDS);
  c.header("Retry-After", AGAIN_SECONDS);
  return render(
    site,
    c,
    { title: problems.loading, width: "narrow", nav: "collections", status: 503 },
    <>
      <Title>{problems.loading}</Title>
      <Notice>{problems.loadingText}</Notice>
    </>,
  );
}
