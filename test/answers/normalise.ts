/** Makes two runs of the same code the same: what varies by its nature becomes a placeholder. */

import { linesOfHtml } from "./html.ts";
import type { Answer, HttpRequest } from "./request.ts";
import { eventsOf } from "./send.ts";

export interface Known {
  /** Text of this run, such as ports and folders, and its placeholder. */
  readonly places: readonly (readonly [text: string, placeholder: string])[];
  /** Blocks up to this one are the same in every run. */
  readonly block: number;
  /** 32 bytes in hex that are the same in every run. */
  readonly hashes: ReadonlySet<string>;
}

export interface Recorded {
  readonly status: number | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const DAY_MS = 86_400_000;
const HEADERS_LEFT_OUT = new Set(["date", "connection", "keep-alive", "content-length", "transfer-encoding"]);
const HEADERS_VARYING: Readonly<Record<string, string>> = {
  "x-request-id": "<uuid>",
  ratelimit: "<limit>",
  "ratelimit-remaining": "<n>",
  "ratelimit-reset": "<n>",
  "retry-after": "<n>",
};

const isCursor = (key: string): boolean => /cursor$/i.test(key);
const isBlock = (key: string): boolean =>
  /block$/i.test(key) || /^(?:block(?:Number)?|head|indexed|lastLog)$/.test(key);
const isVarying = (key: string): boolean => /^(?:duration_?ms|oldest_?seconds|lag_?seconds)$/i.test(key);

export function createNormaliser(known: Known) {
  const isNow = (ms: number): boolean => Math.abs(Date.now() - ms) < DAY_MS;
  const block = (digits: string): string =>
    Number(digits.replaceAll(",", "")) > known.block ? "<block>" : digits;

  function text(input: string): string {
    let output = input;
    for (const [place, placeholder] of known.places) output = output.replaceAll(place, placeholder);
    return (
      output
        .replace(/\bvk_[0-9a-f]{48}_[0-9a-f]{6}\b/g, "<key>")
        .replace(/\bvk_[0-9a-f]{6}(?![0-9a-f])/g, "<key-start>")
        .replace(/retry in \d+ s\b/g, "retry in <n> s")
        .replace(/\(build [0-9a-f]{10}\)/g, "(build <hash>)")
        .replace(/\bvl_[0-9a-f]{64}\b/g, "<link>")
        .replace(/vitrine_session=[^;]+/g, "vitrine_session=<cookie>")
        .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
        .replace(/\b(?:0x)?[0-9a-f]{64}\b/g, (hash) => (known.hashes.has(hash) ? hash : "<hash>"))
        .replace(/\b0x[0-9a-f]{8}…/g, "<hash>…")
        // Ponder's name of an event: time, chain, block and log.
        .replace(/\b\d{10}(\d{16})(\d{16})(\d{33})\b/g, (_, chain, number: string, log) =>
          ["<time>", chain, block(number), log].join("-"),
        )
        .replace(/nonce="[^"]*"/g, 'nonce="<nonce>"')
        .replace(/'nonce-[^']*'/g, "'nonce-<nonce>'")
        .replace(/\b(Nonce: )\w+/g, "$1<nonce>")
        .replace(/([?&;]cursor=)[\w%.~-]+/g, "$1<cursor>")
        .replace(/([?&;]after=)<uuid>/g, "$1<cursor>")
        .replace(/([?&]v=)[\w-]+/g, "$1<version>")
        .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
          isNow(Date.parse(time)) ? "<time>" : time,
        )
        .replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (time, day: string, minute: string) =>
          isNow(Date.parse(`${day}T${minute}:00Z`)) ? "<time>" : time,
        )
        .replace(/\b\d{1,2} [A-Z][a-z]{2,8} \d{4}, \d\d:\d\d UTC\b/g, (time) =>
          isNow(Date.parse(time)) ? "<time>" : time,
        )
        .replace(/\b(\d{10}|\d{13})\b/g, (digits) =>
          isNow(Number(digits) * (digits.length === 10 ? 1_000 : 1)) ? "<time>" : digits,
        )
        .replace(/(block(?:"|&quot;):)(\d+)/g, (_, name: string, digits: string) => `${name}${block(digits)}`)
        .replace(/\b([Bb]locks? )(\d[\d,]*)/g, (_, word: string, digits: string) => `${word}${block(digits)}`)
        .replace(/\b\d+ ms\b/g, "<n> ms")
    );
  }

  function value(input: unknown, key = ""): unknown {
    if (Array.isArray(input)) return input.map((each) => value(each, key));
    if (typeof input === "object" && input !== null)
      return Object.fromEntries(Object.entries(input).map(([name, each]) => [text(name), value(each, name)]));
    if (typeof input !== "string" && typeof input !== "number") return input;
    if (isVarying(key)) return "<n>";
    // As of whichever block the index had reached.
    if (/^read_?block$/i.test(key)) return "<block>";
    if (isBlock(key) && /^\d+$/.test(String(input))) return Number(input) > known.block ? "<block>" : input;
    if (isCursor(key) && typeof input === "string") return "<cursor>";
    if (typeof input === "string") return text(input);
    return Number.isInteger(input) && (isNow(input * 1_000) || isNow(input)) ? "<time>" : input;
  }

  function headers(input: Answer["headers"]): Record<string, string> {
    const entries = Object.entries(input)
      .filter(([name]) => !HEADERS_LEFT_OUT.has(name))
      .map(([name, each]): [string, string] => {
        if (name === "etag") return [name, each.startsWith("W/") ? "W/<etag>" : "<etag>"];
        return [name, HEADERS_VARYING[name] ?? text(each)];
      });
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  return {
    text,
    /** Lines as they are; those that are JSON, as what they hold. */
    lines: (input: string): unknown[] =>
      input.split("\n").map((line) => (/^[[{].*[\]}]$/.test(line) ? jsonOf(line) : text(line))),

    answer(request: HttpRequest, { status, headers: raw, text: sent }: Answer): Recorded {
      const body = replaced(sent, request.replace);
      return { status, headers: headers(raw), body: bodyOf(request, raw["content-type"] ?? "", body) };
    },
  };

  function jsonOf(line: string): unknown {
    try {
      return value(JSON.parse(line));
    } catch {
      return text(line);
    }
  }

  function bodyOf(request: HttpRequest, type: string, body: string): unknown {
    if (request.body_as === "nothing") return "<not recorded>";
    if (request.body_as === "length") return body.length > 0 ? "<not empty>" : "<empty>";
    if (request.body_as === "metrics") return metricsOf(body);
    if (request.events) return eventsOf(body, request.events.of).map(linesOfEvent);
    if (body === "") return "";
    if (/\bjson\b/.test(type)) return shaped(JSON.parse(body), request);
    if (type.startsWith("text/html")) return linesOfHtml(text(body));
    return text(body).split("\n");
  }

  /** An event's id counts all events, older ones too. */
  function linesOfEvent(event: string): unknown[] {
    return event.split("\n").map((line) => {
      if (line.startsWith("id:")) return "id: <n>";
      if (!line.startsWith("data:")) return line;
      return { ...(value(JSON.parse(line.slice("data:".length))) as object), id: "<n>" };
    });
  }

  function shaped(json: unknown, { varies = [], unordered = [] }: HttpRequest): unknown {
    const copy = value(json);
    for (const path of varies) at(copy, path.split("."), () => "<varies>");
    for (const path of unordered)
      at(copy, path.split("."), (list) =>
        Array.isArray(list)
          ? list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
          : list,
      );
    return copy;
  }
}

export const replaced = (text: string, rules: HttpRequest["replace"] = []): string =>
  rules.reduce((output, [pattern, by]) => output.replace(pattern, by), text);

/** Changes the fields at a path, where they are. */
function at(
  json: unknown,
  [name = "", ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): void {
  if (typeof json !== "object" || json === null) return;
  const holder = json as Record<string, unknown>;
  for (const key of name === "*" ? Object.keys(holder) : [name]) {
    if (!(key in holder)) continue;
    if (rest.length > 0) at(holder[key], rest, change);
    else holder[key] = change(holder[key]);
  }
}

/** Names, help and types of all metrics, and label names of ours; those of others come and go with what happens. */
function metricsOf(body: string): string[] {
  const labels = new Map<string, Set<string>>();
  const reported: string[] = [];
  for (const line of body.split("\n")) {
    if (line.startsWith("#")) reported.push(line);
    const [, name = "", inner = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (!name.startsWith("vitrine_")) continue;
    const known = labels.get(name) ?? new Set<string>();
    labels.set(name, known);
    for (const [, label = ""] of inner.matchAll(/(\w+)="/g)) known.add(label);
  }
  const series = [...labels].map(([name, known]) => `${name}{${[...known].sort().join(",")}}`);
  return [...new Set([...reported, ...series])].sort();
}
