/** The host's answer for one document, and how callers may specify it. */

export type Kind = "heroes" | "items";
export type Document = Record<string, unknown>;

export type Answer = {
  /** 200 when absent. */
  status?: number;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  delayMs?: number;
};

const ANSWER_KEYS = new Set(["status", "body", "headers", "delayMs"]);

/** Distinguishes an answer from a document: a document has a field that answers lack, or none at all. */
export const toAnswer = (value: unknown): Answer => {
  const keys = isDocument(value) ? Object.keys(value) : [];
  const isAnswer = keys.length > 0 && keys.every((key) => ANSWER_KEYS.has(key));
  return isAnswer ? (value as Answer) : { body: value };
};

export const isDocument = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

/** The JSON object of a successful answer, or undefined if it has none. */
export const documentOf = ({ status = 200, body }: Answer): Document | undefined => {
  if (status !== 200) return undefined;
  if (isDocument(body)) return body;
  if (typeof body !== "string" && !Buffer.isBuffer(body)) return undefined;
  const parsed = parseJson(body.toString());
  return isDocument(parsed) ? parsed : undefined;
};

/** The value of a JSON text, or undefined if it is not JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
