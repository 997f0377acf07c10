import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { open, readAll } from "./raw-http.ts";

it.each(["end", "resetAndDestroy"] as const)(
  "what came before the other side's `%s` is read",
  async (last) => {
    const server = createServer((socket) => {
      socket.once("data", () => socket[last]());
      socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const socket = await open((server.address() as AddressInfo).port);
      socket.once("data", () => socket.write("more"));
      expect((await readAll(socket)).toString()).toBe("HTTP/1.1 400 Bad Request\r\n\r\n");
    } finally {
      server.close();
    }
  },
);
