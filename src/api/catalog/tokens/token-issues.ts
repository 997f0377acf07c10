/** Everything that is wrong with a token's document and its media, as every answer shows it. */

import { z } from "@hono/zod-openapi";
import type { CheckedFields } from "../../media/checks/checked-media.ts";
import type { Ends, MediaFields } from "../../media/display/display.ts";
import { codeOf, mediaReasons, TRYING_AGAIN, webHostOf } from "../../media/rules.ts";
import type { Issue } from "../../metadata/document/issues.ts";
import { issueMeanings, issueSchema } from "../../metadata/rules.ts";

const NOT_ALLOWED = "host_not_allowed";

export const tokenIssueSchema = z
  .object({
    ...issueSchema.shape,
    code: z.enum([...issueSchema.shape.code.options, NOT_ALLOWED, ...mediaReasons]).openapi({
      description: `${issueMeanings}\n- \`${NOT_ALLOWED}\` (warning): The operator has not allowed the host of the animation or video.\n\nThe others are about media: an error for an \`image\` that is refused, and a warning for one that can't be reached, for \`video\` and for \`animation_url\`. docs/media.md lists them.`,
    }),
  })
  .openapi("Issue");

export type TokenIssue = z.infer<typeof tokenIssueSchema>;

export interface MediaFindings {
  /** As pages load them (`asLoaded`). */
  readonly fields: MediaFields;
  readonly checked: CheckedFields;
  /** The hosts that the animation and the video redirected to, if different. */
  readonly ends?: Ends;
  readonly isAllowed: (host: string) => boolean;
  /** Whether media that can't be reached are an issue: not at a first try, only after several. */
  readonly isTriedOften: boolean;
  /** Contact for issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

/** The issues of a document, then those of its media. A URL that no page can show has one issue, not two. */
export function withMediaIssues(issues: readonly Issue[], findings: MediaFindings): TokenIssue[] {
  const unusable = new Set(
    issues.flatMap(({ code, path }) => (code === "unusable_image" || code === "unusable_url" ? path : [])),
  );
  const found = mediaIssues(findings).filter(({ path }) => !unusable.has(path));
  return [...issues, ...found];
}

function mediaIssues({
  fields,
  checked,
  ends = {},
  isAllowed,
  isTriedOften,
  operatorContact,
}: MediaFindings): TokenIssue[] {
  const contact = operatorContact ?? "the operator";
  const faultsOf = (path: keyof CheckedFields, level: TokenIssue["level"]): TokenIssue[] =>
    checked[path].status === "unreachable" && !isTriedOften ? [] : viewFault(path, level, checked[path]);
  const embedded = [
    ["animation_url", ends.animation],
    ["video", ends.video],
  ] as const;
  return [
    ...faultsOf("image", "error"),
    ...embedded.flatMap(([path, end]): TokenIssue[] => {
      const url = fields[path];
      const hosts = url === null ? [] : [webHostOf(url), end].flatMap((host) => host ?? []);
      const refused = hosts.find((host) => !isAllowed(host));
      const faults = faultsOf(path, "warning");
      if (refused === undefined) return faults;
      const message = `the token page may not show content of ${refused}; ask ${contact} to allow this host for the collection`;
      return [{ code: NOT_ALLOWED, level: "warning", path, message }, ...faults];
    }),
  ];
}

function viewFault(
  path: string,
  level: TokenIssue["level"],
  { status, reason }: CheckedFields["image"],
): TokenIssue[] {
  if (reason === null || status === "skipped") return [];
  // What was accepted stays, although it can't be fetched any more.
  if (status === "accepted" && reason.endsWith(TRYING_AGAIN)) return [];
  const code = mediaReasons.find((each) => each === codeOf(reason));
  const message = reason.slice(code === undefined ? 0 : code.length + 2);
  // What could not be read today may be there tomorrow.
  return code ? [{ code, level: status === "rejected" ? level : "warning", path, message }] : [];
}
