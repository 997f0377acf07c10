/** Where a foreign URL may lead: to public unicast addresses of other machines only. */

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { atMostEvery } from "../async/at-most-every.ts";
import { ownAddresses } from "../own-addresses.ts";

const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");
const LOCALHOST = /(?:^|\.)localhost\.?$/i;
// The services that Azure offers its machines, each of which reaches its own.
const AZURE_SERVICES = "168.63.129.16";
const OWN_ADDRESSES_MS = 5_000;

/** False for private, loopback, link-local, shared (CGNAT), multicast, reserved, mapped and translated addresses. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast" || text === AZURE_SERVICES) return false;
  // ipaddr.js calls ::127.0.0.1 unicast; nothing outside 2000::/3 is routed.
  return address.kind() === "ipv4" || address.match(PUBLIC_IPV6);
}

/** What a host is that no foreign URL may lead to; undefined for any other. A name is judged without the resolver. */
export function forbiddenHost(nameOrAddress: string): "a private address" | "this machine" | undefined {
  if (isIP(nameOrAddress) && !isPublicAddress(nameOrAddress)) return "a private address";
  return isThisMachine(nameOrAddress) ? "this machine" : undefined;
}

/**
 * Whether a name is loopback by definition, even if the resolver does not know it (RFC 6761, 6.3), or an address is one of
 * this machine: connections to those pass no firewall, however public they are.
 */
function isThisMachine(host: string): boolean {
  readOwnAddresses();
  return LOCALHOST.test(host) || addresses.has(host);
}

/** The last that could be read. */
let addresses: ReadonlySet<string> = new Set();
// A laptop or a machine of a cluster may get others while it runs.
const readOwnAddresses = atMostEvery(OWN_ADDRESSES_MS, () => {
  const own = ownAddresses();
  if (own.length > 0) addresses = new Set(own.map(({ address }) => address));
});
