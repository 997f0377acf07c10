/** Clients that end their connection before they have an answer. */

import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Connects as often as `times`, sends a request, or as many as `pipelined`, and leaves after 0 to 11 ms: before, while and
 * after the answer is begun.
 */
export async function leaveEarly(
  port: number,
  path: string,
  headers: Record<string, string>,
  times: number,
  pipelined = 1,
): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  for (let n = 0; n < times; n++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    const request = `GET ${path} HTTP/1.1\r\nhost: vitrine\r\n${lines.join("")}\r\n`;
    socket.write(request.repeat(pipelined));
    await sleep(n % 12);
    socket.destroy();
  }
}
