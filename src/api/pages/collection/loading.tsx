/** A collection's search index is loaded at its first use: whoever comes meanwhile is told, and looks again. */

import { withTimeout } from "../../jobs/timeout.ts";
import { Notice, Title } from "../../ui/parts.tsx";
import type { PagesContext, Site } from "../env.ts";
import { render } from "../frame.tsx";

// An index of a million tokens takes half a minute; nobody looks at an empty tab for that long.
const LOAD_MS = 3_000;
const AGAIN_SECONDS = "3";

/** The answer, or undefined where it takes longer than a visitor waits. Throws as the answer does. */
export const soon = <Answer,>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  withTimeout(LOAD_MS, answer, { rethrow: true });

/** Asks the browser to come back; a program learns when by Retry-After. */
export function stillLoading(site: Site, c: PagesContext): Response | Promise<Response> {
  c.header("Refresh", AGAIN_SECONDS);
  c.header("Retry-After", AGAIN_SECONDS);
  return render(
    site,
    c,
    { title: "Loading", width: "narrow", nav: "collections", status: 503 },
    <>
      <Title>On its way</Title>
      <Notice>
        The tokens of this collection are being loaded. This page looks again by itself every few seconds.
      </Notice>
    </>,
  );
}
