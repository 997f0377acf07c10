/** Where a foreign URL may lead: to public unicast addresses only. */

import ipaddr from "ipaddr.js";

const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/** Whether a host's name is loopback by definition, even if the resolver does not know it (RFC 6761, 6.3). */
export const isThisMachine = (host: string): boolean => LOCALHOST.test(host);

/** False for private, loopback, link-local, shared (CGNAT), multicast, reserved, mapped and translated addresses. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  // ipaddr.js calls ::127.0.0.1 unicast; nothing outside 2000::/3 is routed.
  return address.kind() === "ipv4" || address.match(PUBLIC_IPV6);
}
