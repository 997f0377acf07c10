/** Connects to foreign hosts only at an address that was just checked, whatever a second DNS answer says. */

import type { LookupAddress, LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { forbiddenHost } from "./safe-address.ts";

/** How names are resolved: every address of the host, in the order to try them. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const portOf = ({
  port,
  protocol,
}: {
  readonly port?: string | undefined;
  readonly protocol: string;
}): string => port || (protocol === "https:" ? "443" : "80");

/** `host:port` of a URL, by which hosts are allowed and limited. */
export function hostAndPort(url: string): string {
  const parsed = new URL(url);
  return `${parsed.hostname}:${portOf(parsed)}`;
}

/** Why a connection was refused; says nothing about the host's health. */
export class HostRefused extends Error {}

/**
 * `allowedHosts` are `host:port` entries that may be private, or this machine; `timeout` in milliseconds. With
 * `isTlsOnly`, plain http is for those entries alone.
 */
export function guardedConnector(
  allowedHosts: ReadonlySet<string>,
  lookup: Lookup,
  timeout: number,
  isTlsOnly = false,
): buildConnector.connector {
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      // One bad address refuses the host: otherwise the connection itself would choose.
      const [bad] = addresses.flatMap(({ address }) => forbiddenHost(address) ?? []);
      if (bad) return callback(new HostRefused(`${hostname} resolves to ${bad}`), []);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return first ? callback(null, first.address, first.family) : callback(new Error("no address"), []);
    });
  };
  const open = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: checkedLookup });

  return (options, done) => {
    const callback: buildConnector.Callback = (...result) => {
      const [, socket] = result;
      // Shaped as an error of undici: a connection on which something was read had served before.
      socket?.on("error", (error) => Object.assign(error, { socket: { bytesRead: socket.bytesRead } }));
      done(...result);
    };
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // An IPv6 address arrives bare, and is configured in brackets, as in URLs.
    const host = isIP(literal) === 6 ? `[${literal}]` : literal.toLowerCase();
    if (allowedHosts.has(`${host}:${portOf(options)}`)) return open(options, callback);
    // `lookup` is never called for a literal address.
    const bad = forbiddenHost(literal);
    if (bad) return callback(new HostRefused(`${literal} is ${bad}`), null);
    if (isTlsOnly && options.protocol !== "https:")
      return callback(new HostRefused(`${literal} must be asked over https`), null);
    return guarded(options, callback);
  };
}
