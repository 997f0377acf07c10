/** Identifies the client of a request, which is what callers without a key are limited by. */

import type { Context } from "hono";
import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

// One household or server has a whole /64, and would otherwise have 2^64 addresses to spend.
const IPV6_PREFIX_BITS = 64;
const UNKNOWN = "unknown";

const CLIENTS_KNOWN = 1_000;
// A header is as long as a stranger likes.
const HEADER_CHARACTERS_KNOWN = 200;

/** True for an IP address or a CIDR range, the two forms in TRUSTED_PROXIES. */
export const isAddressRange = (text: string): boolean =>
  ipaddr.isValidCIDR(text) || (ipaddr.isValid(text) && parse(text) !== undefined);

/**
 * The client's IPv4 address, or the /64 of its IPv6 address. X-Forwarded-For counts only as far as listed proxies (IP
 * addresses and CIDR ranges) wrote it: the result is its rightmost hop that is not listed. Anybody can send that
 * header, so it is ignored unless the peer is trusted. Without a socket the result is `unknown`, which all limits treat
 * as one client.
 */
export function createClientAddress(trustedProxies: readonly string[]): (c: Context) => string {
  const clientOf = createClientOf(trustedProxies);
  return (c) => clientOf(peerOf(c), c.req.header("x-forwarded-for"));
}

/** The same for a peer's address and the header that it sent. */
export function createClientOf(
  trustedProxies: readonly string[],
): (peer: string | undefined, forwardedFor: string | undefined) => string {
  const clientOf = createFindClient(trustedProxies);
  return (peer, forwardedFor) => clientOf(peer, forwardedFor).key;
}

/** True for a request that a listed address made, itself or through others of the list. */
export function createIsTrusted(trustedProxies: readonly string[]): (c: Context) => boolean {
  const clientOf = createFindClient(trustedProxies);
  return (c) => clientOf(peerOf(c), c.req.header("x-forwarded-for")).isTrusted;
}

interface Client {
  /** Its address, as limits count it. */
  readonly key: string;
  /** False also behind a proxy that could not parse the address of its own client. */
  readonly isTrusted: boolean;
}

function createFindClient(
  trustedProxies: readonly string[],
): (peer: string | undefined, forwardedFor: string | undefined) => Client {
  const trusted = trustedProxies.map(parseRange);
  // To parse an address takes as long as to parse a short GraphQL query.
  const known = new LRUCache<string, Client>({ max: CLIENTS_KNOWN });
  const isListed = (address: Address): boolean =>
    trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

  function find(peer: string, forwardedFor: string): Client {
    let address = parse(peer);
    if (!address) return { key: UNKNOWN, isTrusted: false };
    const hops = forwardedFor.trim() ? forwardedFor.split(",").reverse() : [];
    for (const hop of hops) {
      if (!isListed(address)) break;
      const before = parse(withoutPort(hop.trim()));
      // A hop that a trusted proxy could not parse identifies nobody, so the last trusted hop is used.
      if (!before) return { key: limitKey(address), isTrusted: false };
      address = before;
    }
    return { key: limitKey(address), isTrusted: isListed(address) };
  }

  return (peer = "", forwardedFor = "") => {
    if (forwardedFor.length > HEADER_CHARACTERS_KNOWN) return find(peer, forwardedFor);
    const text = `${peer} ${forwardedFor}`;
    const client = known.get(text) ?? find(peer, forwardedFor);
    known.set(text, client);
    return client;
  };
}

/** @hono/node-server passes on Node's request; a test may do the same. */
function peerOf(c: Context): string | undefined {
  const env = c.env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined;
  return env?.incoming?.socket?.remoteAddress;
}

/** Dual-stack sockets report IPv4 as IPv4-mapped IPv6; it is treated as IPv4. */
function parse(text: string): Address | undefined {
  // The library reads "1" and "0x7f.1" as addresses; no proxy writes them.
  const isPlain = ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(":") && ipaddr.isValid(text));
  return isPlain ? ipaddr.process(text) : undefined;
}

function parseRange(text: string): Range {
  if (text.includes("/")) {
    const [network, bits] = ipaddr.parseCIDR(text);
    const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
    return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
  }
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

const withoutPort = (hop: string): string =>
  /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;

function limitKey(address: Address): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_PREFIX_BITS}`).toString();
}
