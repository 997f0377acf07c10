/** What is asked, as plain data. `{{name}}` in a path, a header or a body stands for a value of the run. */

export type KeyName = "full" | "market" | "partner" | "heroes" | "spare" | "broken";
export type Visitor = "ada" | "ben" | "operator" | "link";

/** Values of a run by name, such as addresses and ids that answers brought. */
export type Values = Record<string, string>;

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Distinguishes requests of the same method and path. */
  readonly note?: string;
  readonly headers?: Values;
  /** Sent as JSON; text is sent as it is, with the content type of `headers`. */
  readonly body?: unknown;
  readonly form?: Values;
  readonly key?: KeyName | undefined;
  /** With the operator's token. */
  readonly isOperator?: boolean;
  /** With the console's cookie of this visitor, from the service's own origin. */
  readonly as?: Visitor;
  /** Of this client address; otherwise every request is of another, so that limits by address refuse none. */
  readonly from?: string;
  /** Values that the answer brings: by the path of a field in its JSON, or by the first group in its text and headers. */
  readonly save?: Readonly<Record<string, string | RegExp>>;
  /** Asked again until this holds of the answer's text. */
  readonly until?: (text: string, answer: Answer) => boolean;
  /** Done before the request is sent; what it answers are values. */
  readonly prepare?: (run: RunTools) => Promise<Values | undefined>;
  /** Fields of the JSON that vary, as `items.*.id`; `*` is every entry. */
  readonly varies?: readonly string[];
  /** Lists of the JSON whose order nobody promises. */
  readonly unordered?: readonly string[];
  /** Text that varies, and what is recorded in its place. */
  readonly replace?: readonly (readonly [RegExp, string])[];
  /** What is recorded of the body, where it is not all of it. */
  readonly body_as?: "nothing" | "length" | "metrics";
  /** The stream is read until it has brought so many events that hold this text; those are recorded. */
  readonly events?: { readonly of: string; readonly count: number };
}

export interface Command {
  readonly args: readonly string[];
  readonly note?: string;
  readonly stdin?: string;
  readonly env?: Values;
  /** When it is run: before there is a service, beside other requests, or in its turn. */
  readonly when?: "offline" | "beside";
  readonly save?: Readonly<Record<string, RegExp>>;
  readonly prepare?: HttpRequest["prepare"];
  readonly replace?: HttpRequest["replace"];
}

export type Request = HttpRequest | Command;

/** What `prepare` may use. */
export interface RunTools {
  readonly values: Values;
  readonly world: import("../support/processes/world.ts").World;
  sign(visitor: "ada" | "ben" | "operator" | "owner", message: string): Promise<string>;
  /** Waits until everything that was asked for is read, pictures included. */
  settle(): Promise<void>;
  ask(request: HttpRequest): Promise<Answer>;
}

type More = Omit<HttpRequest, "method" | "path" | "body" | "form">;

export const isCommand = (request: Request): request is Command => "args" in request;

const PATH_SHOWN = 300;
const shown = (path: string): string =>
  path.length > PATH_SHOWN ? `${path.slice(0, 20)}… of ${path.length} characters` : path;

/** Unique in its surface. */
export const titleOf = (request: Request): string => {
  const what = isCommand(request)
    ? `vitrine ${request.args.map((each) => (/^[\w.:/{}=,*@-]+$/.test(each) ? each : JSON.stringify(each))).join(" ")}`
    : `${request.method} ${shown(request.path)}`;
  const who = isCommand(request)
    ? []
    : [
        request.key && `key ${request.key}`,
        request.as && `as ${request.as}`,
        request.isOperator && "operator",
      ];
  return [what, ...who, request.note].filter(Boolean).join(" · ");
};

const method =
  (name: string) =>
  (path: string, more: More = {}): HttpRequest => ({ method: name, path, ...more });
const methodWithBody =
  (name: string) =>
  (path: string, body?: unknown, more: More = {}): HttpRequest => ({ method: name, path, body, ...more });

export const get = method("GET");
export const head = method("HEAD");
export const options = method("OPTIONS");
export const post = methodWithBody("POST");
export const put = methodWithBody("PUT");
export const patch = methodWithBody("PATCH");
export const del = methodWithBody("DELETE");

/** A page, as a browser asks for it. */
export const page = (path: string, more: More = {}): HttpRequest =>
  get(path, { ...more, headers: { accept: "text/html", ...more.headers } });

/** A form, as a browser sends it. */
export const form = (path: string, fields: Values, more: More = {}): HttpRequest => ({
  method: "POST",
  path,
  form: fields,
  ...more,
  headers: { accept: "text/html", ...more.headers },
});

/** A GraphQL operation; its name is the note. */
export const graphql = (
  note: string,
  query: string,
  variables?: unknown,
  more: More & { readonly operationName?: string } = {},
): HttpRequest => {
  const { operationName, ...rest } = more;
  return post("/graphql", { query, variables, operationName }, { note, ...rest });
};

export const command = (args: string, more: Omit<Command, "args"> = {}): Command => ({
  args: args.split(" ").filter(Boolean),
  ...more,
});

/** The same requests with more of the same. */
export const each = (more: Partial<HttpRequest>, requests: readonly HttpRequest[]): HttpRequest[] =>
  requests.map((request) => ({ ...more, ...request }));

/** `{{name}}` replaced in all text of a value; throws for a name that has no value. */
export function fill<Value>(value: Value, values: Values): Value {
  if (typeof value === "string")
    return value.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const found = values[name];
      if (found === undefined) throw new Error(`no answer has brought a value for {{${name}}} yet`);
      return found;
    }) as Value;
  if (Array.isArray(value)) return value.map((each) => fill(each, values)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [fill(name, values), fill(each, values)]);
  return Object.fromEntries(entries) as Value;
}
