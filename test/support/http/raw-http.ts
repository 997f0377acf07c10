/** HTTP as bytes on a socket: requests that well-behaved clients never send, and answers they never leave unread. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

/** Connects; the socket is paused until someone reads. Errors are left to `close`. */
export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  return socket;
}

/** Everything until the other side ends or resets the connection. */
export async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.resume();
  // Not by `once` of node:events, which rejects when the connection is reset.
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks);
}

/** Sends bytes and reads the one answer that ends the connection. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = await open(port);
  socket.write(bytes);
  return parseAnswer((await readAll(socket)).toString("latin1"));
}

/** The first answer of a connection; status 0 for none. */
export function parseAnswer(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  return { status, headers, text: rest.join("\r\n\r\n") };
}
