/** A document's report as text for a terminal. */

import type { DocumentReport } from "../../src/api/catalog/reports/document-report.ts";
import { visible } from "./visible.ts";

const TEXT_LENGTH_MAX = 160;

const skippedReasons: Readonly<Record<string, string>> = {
  host_not_allowed: "the operator must allow its host (--allow-host shows what then)",
  invalid_url: "it is no http(s) URL without credentials",
};

export function reportLines(report: DocumentReport): string[] {
  const { fetched, failure, issues } = report;
  const facts: string[][] = [
    ...(fetched?.uri ? [["uri", clean(fetched.uri)]] : []),
    ...(fetched?.bytes
      ? [["", `${fetched.bytes} bytes in ${fetched.duration_ms} ms, sha256 ${fetched.content_hash}`]]
      : []),
    ...(failure ? [] : documentFacts(report)),
  ];
  return [
    ...table(facts),
    ...section("Traits", table(report.traits.map(traitCells))),
    ...section(
      "Issues",
      table(
        issues.map(({ level, path, code, message }) => [
          level,
          clean(path) || "(document)",
          code,
          clean(message),
        ]),
      ),
    ),
    "",
    verdict(report),
  ];
}

function documentFacts({ name, description, image, media, display }: DocumentReport): string[][] {
  const { collection_page, token_page } = display;
  const page = ({ kind, url }: { kind: string; url: string | null }): string =>
    url === null ? "nothing" : `${kind} ${clean(url)}`;
  return [
    ["name", shown(name)],
    ...(description === null ? [] : [["description", shown(description)]]),
    ["image", shown(image)],
    ...mediaFacts(media),
    ["collection page", page(collection_page)],
    ["token page", page(token_page)],
    ...token_page.skipped.map(({ kind, host, reason }) => [
      "",
      `not the ${kind}${host ? ` from ${clean(host)}` : ""}: ${skippedReasons[reason] ?? reason}`,
    ]),
  ];
}

/** A line for each URL that was checked. */
const mediaFacts = (media: DocumentReport["media"]): string[][] =>
  Object.entries(media).flatMap(([field, { status, reason, width, height, bytes, format }]) => {
    if (status === "skipped" && reason === null) return [];
    const size = width === null || height === null ? [] : [`${width}x${height}`];
    const found = [
      ...(format === null ? [] : [format]),
      ...size,
      ...(bytes === null ? [] : [`${bytes} bytes`]),
    ];
    const because = reason?.startsWith(`${status}: `) ? reason.slice(status.length + 2) : reason;
    const facts = [...found, ...(because === null ? [] : [clean(because)])].join(", ");
    return [["", `${field} ${status}${facts === "" ? "" : `: ${facts}`}`]];
  });

const traitCells = ({
  trait_type,
  display_type,
  value,
  max_value,
}: DocumentReport["traits"][number]): string[] => [
  clean(trait_type),
  display_type,
  clean(typeof value === "string" ? value : JSON.stringify(value)),
  max_value === null ? "" : `of ${max_value}`,
];

function verdict({ failure, issues }: DocumentReport): string {
  if (failure) return `not valid: ${failure.reason}: ${clean(failure.message)}`;
  const count = (level: string): number => issues.filter((each) => each.level === level).length;
  const errors = count("error");
  const warnings = count("warning");
  const found = [
    ...(errors > 0 ? [plural(errors, "error")] : []),
    ...(warnings > 0 ? [plural(warnings, "warning")] : []),
  ];
  return `${errors > 0 ? "not valid" : "valid"}: ${found.join(", ") || "no issues"}`;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const shown = (text: string | null): string => (text === null ? "none" : clean(text));

/** Columns two spaces apart; the last one is not padded. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];

/** Shortens to one line. */
function clean(text: string): string {
  const escaped = visible(text);
  return escaped.length > TEXT_LENGTH_MAX ? `${escaped.slice(0, TEXT_LENGTH_MAX)}…` : escaped;
}
