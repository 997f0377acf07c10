/** A DNS server on a local port, which answers each question as a test says. */

import { createSocket } from "node:dgram";
import { once } from "node:events";

const FAMILIES: Readonly<Record<number, Family>> = { 1: 4, 28: 6 };
const NXDOMAIN = 3;
const SERVFAIL = 2;
const HEADER_BYTES = 12;
/** Points back at the name in the question (RFC 1035, 4.1.4). */
const NAME_POINTER = [0xc0, HEADER_BYTES];
/** Rebinding needs a second question. */
const NO_TIME_TO_LIVE = [0, 0, 0, 0];

export type Family = 4 | 6;
/** Addresses as bytes; none has the name without addresses of the family. */
export type DnsAnswer = readonly (readonly number[])[] | "silent" | "no such name" | "failure";

export interface DnsServer {
  /** Its address, as `Resolver.setServers` takes it. */
  readonly server: string;
  /** Every question so far, such as `rebind.example 4`. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

export async function startDnsServer(
  answerOf: (name: string, family: Family) => DnsAnswer,
): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const questions: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, type, end } = readQuestion(query);
    const family = FAMILIES[type];
    questions.push(`${name} ${family}`);
    const answer = family === undefined ? [] : answerOf(name, family);
    if (answer === "silent") return;
    const code = answer === "no such name" ? NXDOMAIN : answer === "failure" ? SERVFAIL : 0;
    const records = typeof answer === "string" ? [] : answer;
    const header = Buffer.from(query.subarray(0, HEADER_BYTES));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    const packed = records.map((bytes) =>
      Buffer.from([
        ...NAME_POINTER,
        ...query.subarray(end - 4, end),
        ...NO_TIME_TO_LIVE,
        0,
        bytes.length,
        ...bytes,
      ]),
    );
    socket.send(Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...packed]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => new Promise<void>((resolve) => void socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}
