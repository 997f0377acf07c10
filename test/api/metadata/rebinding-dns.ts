/** A real DNS server on this machine, for names whose answers an attacker changes, and a lookup that queries it. */

import { type LookupAddress, Resolver } from "node:dns";
import ipaddr from "ipaddr.js";
import type { Lookup } from "../../../src/api/fetch/guarded-connector.ts";
import { type Family, startDnsServer } from "../../support/servers/dns-server.ts";

export interface RebindingDns {
  /** Every query so far, such as `rebind.example 4`. */
  readonly questions: readonly string[];
  /** Sets the answers: each round of addresses answers one query per family, the last round all later ones. */
  answer(...rounds: readonly (readonly string[])[]): void;
  /** Queries this server as the system's resolver does: IPv6 and IPv4, once each. */
  readonly lookup: Lookup;
  close(): Promise<void>;
}

export async function startRebindingDns(): Promise<RebindingDns> {
  let asked = { 4: 0, 6: 0 };
  let rounds: readonly (readonly string[])[] = [[]];
  const dns = await startDnsServer((_name, family) => {
    const round = rounds[Math.min(asked[family]++, rounds.length - 1)] ?? [];
    return round
      .map((text) => ipaddr.parse(text))
      .filter((address) => address.kind() === `ipv${family}`)
      .map((address) => address.toByteArray());
  });

  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([dns.server]);
  const resolve = (family: Family, hostname: string): Promise<LookupAddress[]> =>
    new Promise((done) => {
      const take = (_error: Error | null, found: readonly string[] = []): void =>
        done(found.map((address) => ({ address, family })));
      if (family === 4) resolver.resolve4(hostname, take);
      else resolver.resolve6(hostname, take);
    });

  return {
    questions: dns.questions,
    answer(...next) {
      rounds = next;
      asked = { 4: 0, 6: 0 };
    },
    lookup(hostname, _options, callback) {
      void Promise.all([resolve(6, hostname), resolve(4, hostname)]).then((found) => {
        const addresses = found.flat();
        if (addresses.length > 0) callback(null, addresses);
        else callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
      });
    },
    close: dns.close,
  };
}
