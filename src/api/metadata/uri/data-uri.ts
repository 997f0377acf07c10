/** Decodes the document in a `data:` URI (RFC 2397), including the variants that contracts produce. */

export type DataUri =
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "refused"; readonly reason: "invalid_uri" | "too_large"; readonly message: string };

const PREFIX = /^data:/i;
// A parameter without a value. RFC 2397 has it last; contracts write others after it.
const BASE64 = /;\s*base64\s*(?:;|$)/i;
// With or without padding, in either alphabet, as decoders commonly accept.
const BASE64_TEXT = /^[A-Za-z0-9+/_-]*={0,2}$/;
const PERCENT = "%".charCodeAt(0);
const ABRIDGED_LENGTH = 200;

/**
 * At most `bytesMax` decoded bytes. Ignores media type and charset, like every Content-Type: JSON is UTF-8. A `#` is
 * content, not a fragment: contracts write names such as `Noun #39` unescaped.
 */
export function readDataUri(uri: string, bytesMax: number): DataUri {
  const comma = uri.indexOf(",");
  if (comma < 0) return refused("invalid_uri", "the URI is data: without a comma before its content");
  const isBase64 = BASE64.test(uri.slice(0, comma).replace(PREFIX, ""));
  const content = percentDecoded(uri.slice(comma + 1));
  const body = isBase64 ? base64Decoded(content) : content;
  if (body === undefined) return refused("invalid_uri", "the URI is data: with base64 that can't be decoded");
  if (body.length > bytesMax)
    return refused("too_large", `the document has ${body.length} bytes; the limit is ${bytesMax}`);
  return { kind: "read", body };
}

/** If longer than `lengthMax`: the start and the length. Nobody needs to request the whole of it. */
export const abridged = (uri: string, lengthMax: number): string =>
  uri.length <= lengthMax ? uri : `${uri.slice(0, ABRIDGED_LENGTH)}… (${uri.length} characters)`;

const refused = (reason: "invalid_uri" | "too_large", message: string): DataUri => ({
  kind: "refused",
  reason,
  message,
});

/** UTF-8 with each %XX as its byte; a percent sign before anything else stays (URL Standard, percent-decode). */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text);
  let length = 0;
  for (let from = 0; from < bytes.length; from++) {
    const [high, low] = bytes[from] === PERCENT ? [hexDigit(bytes[from + 1]), hexDigit(bytes[from + 2])] : [];
    if (high === undefined || low === undefined) {
      bytes[length++] = bytes[from] ?? 0;
      continue;
    }
    bytes[length++] = high * 16 + low;
    from += 2;
  }
  return bytes.subarray(0, length);
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : undefined;
}

function base64Decoded(content: Buffer): Buffer | undefined {
  const text = content.toString("latin1").replace(/[\t\n\f\r ]+/g, "");
  return BASE64_TEXT.test(text) ? Buffer.from(text, "base64") : undefined;
}
