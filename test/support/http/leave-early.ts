/** Clients that end their connection before they have an answer. */

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Sends a request as often as `times`, and leaves after 0 to 11 ms: before, while and after the answer is begun. */
export async function leaveEarly(
  port: number,
  path: string,
  headers: Record<string, string>,
  times: number,
): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  for (let n = 0; n < times; n++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`GET ${path} HTTP/1.1\r\nhost: vitrine\r\n${lines.join("")}\r\n`);
    await sleep(n % 12);
    socket.destroy();
  }
}
