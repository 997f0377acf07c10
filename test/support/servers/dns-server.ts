/** A DNS server on a local port, for tests: what it answers depends on the name's first label. */

import { createSocket } from "node:dgram";
import { once } from "node:events";

const TYPES: Readonly<Record<number, 4 | 6>> = { 1: 4, 28: 6 };
const NXDOMAIN = 3;
const SERVFAIL = 2;

export interface Zone {
  /** Addresses as bytes; `undefined` for silence. */
  readonly [label: string]: { readonly 4?: Answer; readonly 6?: Answer };
}
/** `none` has the name without addresses of the family. */
type Answer = readonly (readonly number[])[] | "silent" | "no such name" | "failure";

export async function startDnsServer(zone: Zone) {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const label = query.subarray(13, 13 + (query[12] ?? 0)).toString();
    const end = query.indexOf(0, 12) + 5;
    const family = TYPES[query.readUInt16BE(end - 4)];
    asked.push(`${label} ${family}`);
    const answer = (family && zone[label]?.[family]) ?? [];
    if (answer === "silent") return;
    const code = answer === "no such name" ? NXDOMAIN : answer === "failure" ? SERVFAIL : 0;
    const records = typeof answer === "string" ? [] : answer;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(records.length, 6);
    header.fill(0, 8);
    const packed = records.map((bytes) =>
      Buffer.from([0xc0, 12, ...query.subarray(end - 4, end), 0, 0, 0, 0, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([header, query.subarray(12, end), ...packed]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise<void>((resolve) => void socket.close(() => resolve())),
  };
}
