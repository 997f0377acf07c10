/** Node's response, without what @hono/node-server adds to answers that have no body. */

import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http";

const NO_CONTENT = 204;
const NOT_MODIFIED = 304;
const TYPE = "content-type";

/**
 * Names no type in a 204 or a 304. @hono/node-server calls every answer without a type plain text, and caches take the
 * headers of a 304 for those of what they have stored (RFC 9111, 4.3.4).
 */
export class GuardedResponse extends ServerResponse {
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof reason === "string" ? headers : reason;
    const isBodiless = status === NO_CONTENT || status === NOT_MODIFIED;
    if (isBodiless) this.removeHeader(TYPE);
    const sent = isBodiless && given && !Array.isArray(given) ? withoutType(given) : given;
    return typeof reason === "string" ? super.writeHead(status, reason, sent) : super.writeHead(status, sent);
  }
}

const withoutType = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== TYPE));
