/** Which addresses a foreign URL may lead to: public unicast only. */

import ipaddr from "ipaddr.js";

const PUBLIC_IPV6 = ipaddr.parseCIDR("2000::/3");

/** False for private, loopback, link-local, shared (CGNAT), multicast, reserved, mapped and translated addresses. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  // ipaddr.js calls ::127.0.0.1 unicast; nothing outside 2000::/3 is routed.
  return address.kind() === "ipv4" || address.match(PUBLIC_IPV6);
}
