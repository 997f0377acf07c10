/**
 * Resolves the names of hosts that strangers chose, without the system's resolver: that one (getaddrinfo) runs on two of
 * libuv's threads, and a name whose DNS server is silent holds one for ten seconds, while RPC endpoints, PostgreSQL and
 * every other host wait.
 */

import { type LookupAddress, promises } from "node:dns";
import { withTimeout } from "../async/timeout.ts";
import { ownAddresses } from "../own-addresses.ts";
import type { Lookup } from "./guarded-connector.ts";
import { isPublicAddress } from "./safe-address.ts";

// Both tries together end within the time to connect.
const TRY_MS = 1_500;
const TRIES = 2;
/** How long the other family's addresses are waited for once one has answered (RFC 8305, section 3). */
const OTHER_FAMILY_MS = 50;

// The codes that the system's resolver has for these.
const NO_SUCH_NAME = "ENOTFOUND";
const TRY_AGAIN = "EAI_AGAIN";
const ABSENT: readonly unknown[] = ["ENOTFOUND", "ENODATA"];

/** The machine has an address from which hosts on the internet can be reached by IPv6. */
const hasPublicIpv6 = (): boolean =>
  ownAddresses().some(({ family, address }) => family === "IPv6" && isPublicAddress(address));

/** `servers` are asked in place of those of /etc/resolv.conf, as `address:port`. Neither hosts files nor search domains count. */
export const createForeignLookup =
  (servers?: readonly string[], hasIpv6 = hasPublicIpv6): Lookup =>
  (hostname, _options, callback) => {
    resolve(hostname, hasIpv6, servers).then(
      (addresses) => callback(null, addresses),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };

/** At least one address, IPv4 first. Rejects with the code of the system's resolver. */
async function resolve(
  hostname: string,
  hasIpv6: () => boolean,
  servers?: readonly string[],
): Promise<LookupAddress[]> {
  // One for each name: those of /etc/resolv.conf may change, and what is late can be given up.
  const resolver = new promises.Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const found = new Map<number, readonly string[]>();
  const families = [
    resolver.resolve4(hostname).then((addresses) => found.set(4, addresses)),
    resolver.resolve6(hostname).then((addresses) => found.set(6, addresses)),
  ];
  const both = Promise.allSettled(families);
  try {
    await Promise.any(families);
    // The answer about IPv4 may be late since a packet was lost: without it, such a machine reaches no address.
    if (found.has(4) || hasIpv6()) await withTimeout(OTHER_FAMILY_MS, both);
    else await both;
  } catch (error) {
    throw explain(hostname, (error as AggregateError).errors);
  } finally {
    resolver.cancel();
  }
  return [4, 6].flatMap((family) => (found.get(family) ?? []).map((address) => ({ address, family })));
}

function explain(hostname: string, errors: readonly NodeJS.ErrnoException[]): Error {
  const code = errors.every((error) => ABSENT.includes(error.code)) ? NO_SUCH_NAME : TRY_AGAIN;
  // Not as its cause: a DNS server that refuses a connection isn't a host that does.
  return Object.assign(new Error(`${hostname} can't be resolved: ${errors[0]?.message}`), { code });
}
