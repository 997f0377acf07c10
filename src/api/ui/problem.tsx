/** What the error pages of the console and of the public pages have in common. */

import type { Context } from "hono";
import type { ErrorDetail } from "../http/errors.ts";
import { isRead } from "../http/headers.ts";
import type { To } from "./site.ts";
import { visitor, words } from "./visitor.ts";
import { DEFAULT_LANGUAGE } from "./words/languages.ts";

/** Of these texts by status, that of `status`, or the one for a fault of ours. */
export function problemOf<Text>(texts: { readonly unexpected: Text }, status: number): Text {
  const known = texts as Readonly<Record<number, Text | undefined>> & typeof texts;
  return known[status] ?? texts.unexpected;
}

interface ProblemDetailsProps {
  readonly c: Context;
  readonly details: readonly ErrorDetail[];
}

/** The details of an error, and the request's id. The details are English on a page of any language. */
export const ProblemDetails = ({ c, details }: ProblemDetailsProps) => (
  <>
    {details.map(({ path, message }) => (
      <p lang={visitor().language === DEFAULT_LANGUAGE ? undefined : DEFAULT_LANGUAGE}>
        {path ? `${path} ${message}.` : `${message}.`}
      </p>
    ))}
    <p class="soft small">{words().problems.request(c.get("requestId"))}</p>
  </>
);

/** A link to the page that was asked for, where another attempt may succeed. Not for forms: they must be submitted again. */
export const Retry = ({
  c,
  to,
  status,
}: {
  readonly c: Context;
  readonly to: To;
  readonly status: number;
}) => {
  if (!isRead(c.req) || (status !== 429 && status < 500)) return null;
  const { pathname, search } = new URL(c.req.url);
  return (
    <a class="button primary" href={`${to(pathname)}${search}`}>
      {words().problems.again}
    </a>
  );
};
