/** A real DNS server on this machine, for names whose answers an attacker controls, and a lookup that queries it. */

import { createSocket } from "node:dgram";
import { type LookupAddress, Resolver } from "node:dns";
import type { AddressInfo } from "node:net";
import ipaddr from "ipaddr.js";
import type { Lookup } from "../../../src/api/fetch/guarded-connector.ts";

const TYPES = { 1: "A", 28: "AAAA" } as const;
type RecordType = (typeof TYPES)[keyof typeof TYPES];

const HEADER_BYTES = 12;
/** Response, recursion available, no error. */
const ANSWER_FLAGS = 0x8180;
/** Points back at the name in the question (RFC 1035, 4.1.4). */
const NAME_POINTER = 0xc00c;

export interface DnsServer {
  /** Every query so far, such as `A rebind.example`. */
  readonly questions: readonly string[];
  /** Sets the answers: each round of addresses answers one query per type, the last round all later ones. */
  answer(...rounds: readonly (readonly string[])[]): void;
  /** Queries this server as the system's resolver does: IPv6 and IPv4, once each. */
  readonly lookup: Lookup;
  close(): Promise<void>;
}

export async function startDnsServer(): Promise<DnsServer> {
  const questions: string[] = [];
  const asked = { A: 0, AAAA: 0 };
  let rounds: readonly (readonly string[])[] = [[]];
  const socket = createSocket("udp4");
  socket.on("message", (query, { address, port }) => {
    const { name, type, end } = readQuestion(query);
    questions.push(`${type} ${name}`);
    const round = rounds[Math.min(asked[type]++, rounds.length - 1)] ?? [];
    const records = round
      .map((text) => ipaddr.parse(text))
      .filter((each) => each.kind() === (type === "A" ? "ipv4" : "ipv6"));
    const header = Buffer.alloc(HEADER_BYTES);
    [query.readUInt16BE(0), ANSWER_FLAGS, 1, records.length].forEach((word, index) => {
      header.writeUInt16BE(word, index * 2);
    });
    socket.send(
      Buffer.concat([
        header,
        query.subarray(HEADER_BYTES, end),
        ...records.map((each) => record(each, type)),
      ]),
      port,
      address,
    );
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));

  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  const resolve = (family: 4 | 6, hostname: string): Promise<LookupAddress[]> =>
    new Promise((done) => {
      const take = (_error: Error | null, found: readonly string[] = []): void =>
        done(found.map((address) => ({ address, family })));
      if (family === 4) resolver.resolve4(hostname, take);
      else resolver.resolve6(hostname, take);
    });

  return {
    questions,
    answer(...next) {
      rounds = next;
      asked.A = 0;
      asked.AAAA = 0;
    },
    lookup(hostname, _options, callback) {
      void Promise.all([resolve(6, hostname), resolve(4, hostname)]).then((found) => {
        const addresses = found.flat();
        if (addresses.length > 0) callback(null, addresses);
        else callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), []);
      });
    },
    close: () => new Promise((done) => socket.close(() => done())),
  };
}

function readQuestion(query: Buffer): { name: string; type: RecordType; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1) as keyof typeof TYPES];
  return { name: labels.join("."), type, end: at + 5 };
}

function record(address: ipaddr.IPv4 | ipaddr.IPv6, type: RecordType): Buffer {
  const data = Buffer.from(address.toByteArray());
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(NAME_POINTER, 0);
  head.writeUInt16BE(type === "A" ? 1 : 28, 2);
  head.writeUInt16BE(1, 4);
  // The four bytes of the time to live stay 0: rebinding requires a second query.
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
