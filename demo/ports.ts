/** Unique ports for the services of the demo, the tests and the benches. */
import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

// Below the range that systems use for outgoing connections and "any port" (Linux from 32768, others from 49152): no
// such connection, open or just closed, blocks the port when the service binds it seconds later.
const FIRST = 20_000;
const END = 30_000;

/** Reserved until this process ends, however it ends. */
const reserved: Socket[] = [];

/**
 * A port from 20000 to 29999 that nobody listens on. No other process that calls this or `takePort` gets it while this
 * one lives. Throws when none is left.
 */
export const freePort = async (): Promise<number> => {
  const start = randomInt(FIRST, END);
  for (let step = 0; step < END - FIRST; step++) {
    const port = FIRST + ((start - FIRST + step) % (END - FIRST));
    if (await takePort(port)) return port;
  }
  throw new Error(`every port from ${FIRST} to ${END - 1} is taken`);
};

const PORT_MAX = 65_535;
// Vitrine's own.
const DEFAULT_PORT = 42_069;

/** `given`, if it is; otherwise Vitrine's default port, or any free one if that is taken. Throws if `given` can't be used. */
export const choosePort = async (given: string | undefined): Promise<number> => {
  if (!given) return (await takePort(DEFAULT_PORT)) ? DEFAULT_PORT : freePort();
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX)
    throw new Error(`PORT must be a whole number from 1 to ${PORT_MAX}; it is "${given}"`);
  // Another service there would pass for this one.
  if (!(await isFree(port)))
    throw new Error(`port ${port} (PORT) is in use, or may not be listened on; choose another`);
  return port;
};

/** Reserves this port in the same way; false if somebody listens on it or has reserved it. */
export const takePort = async (port: number): Promise<boolean> => {
  // UDP ports are separate: this one stands for the TCP port, which stays free for the service.
  const socket = createSocket("udp4");
  const isTaken = await settles(() =>
    once(socket.bind({ port, address: "127.0.0.1", exclusive: true }), "listening"),
  );
  if (isTaken && (await isFree(port))) {
    reserved.push(socket.unref());
    return true;
  }
  socket.close();
  return false;
};

const isFree = (port: number): Promise<boolean> =>
  settles(async () => {
    // On all addresses, like the service.
    const server = createServer().listen(port);
    await once(server, "listening");
    server.close();
    await once(server, "close");
  });

/** False when the address is in use, or not available to us. */
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
