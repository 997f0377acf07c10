/** Ports for the services that the demo, the tests and the measurements start: none is given to two of them. */
import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

// Below what any system takes for outgoing connections and "any port" (Linux from 32768, others from 49152): no such
// connection, open or just closed, is in the way when the service binds its port seconds later.
const FIRST = 20_000;
const END = 30_000;

/** Held until this process ends, however it ends. */
const held: Socket[] = [];

/**
 * A port that nobody listens on, from 20000 to 29999. No other process that asks here or `takePort` is given it as
 * long as this one lives. Throws when none is left.
 */
export const freePort = async (): Promise<number> => {
  const start = randomInt(FIRST, END);
  for (let step = 0; step < END - FIRST; step++) {
    const port = FIRST + ((start - FIRST + step) % (END - FIRST));
    if (await takePort(port)) return port;
  }
  throw new Error(`every port from ${FIRST} to ${END - 1} is taken`);
};

/** Takes this port in the same way; false when somebody listens on it, or has taken it. */
export const takePort = async (port: number): Promise<boolean> => {
  // UDP counts its ports by itself: this one stands for the TCP port, which stays free for the service.
  const socket = createSocket("udp4");
  const isTaken = await settles(() =>
    once(socket.bind({ port, address: "127.0.0.1", exclusive: true }), "listening"),
  );
  if (isTaken && (await isFree(port))) {
    held.push(socket.unref());
    return true;
  }
  socket.close();
  return false;
};

const isFree = (port: number): Promise<boolean> =>
  settles(async () => {
    // On all addresses, as the service will.
    const server = createServer().listen(port);
    await once(server, "listening");
    server.close();
    await once(server, "close");
  });

/** False when the address is in use, or is not for us to use. */
const settles = async (bind: () => Promise<unknown>): Promise<boolean> => {
  try {
    await bind();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE" || code === "EACCES") return false;
    throw error;
  }
};
