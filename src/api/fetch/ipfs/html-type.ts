/** The type of verified content, which has none of its own: whether it is a page. */

const HTML = "text/html";
const HTML_NAME = /\.x?html?$/i;
// WHATWG MIME Sniffing, 7.1: the tags that a page starts with.
const HTML_START =
  /^[\t\n\f\r ]*<(?:!--|!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]/i;
const BYTE_ORDER_MARK = /^\ufeff/;
const START_BYTES = 512;

/** `text/html` by its name or its first bytes, as gateways decide; otherwise empty. */
export function htmlTypeOf(body: Buffer, name: string | undefined): string {
  if (name !== undefined && HTML_NAME.test(name)) return HTML;
  const start = body.subarray(0, START_BYTES).toString("utf8").replace(BYTE_ORDER_MARK, "");
  return HTML_START.test(start) ? HTML : "";
}
