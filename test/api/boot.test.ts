/** What keeps a start from its port. */

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { requireFreePort } from "../../src/api/boot.ts";
import { BootError } from "../../src/boot-error.ts";

it("a port that is in use, or of an address that this machine doesn't have, is refused with a sentence", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  try {
    await expect(requireFreePort(port, "127.0.0.1")).rejects.toEqual(
      new BootError(`Port ${port} is in use; stop what listens there or set PORT to a free one.`),
    );
    await expect(requireFreePort(port, "192.0.2.1")).rejects.toEqual(
      new BootError(
        `Port ${port} of 192.0.2.1 can't be listened on (EADDRNOTAVAIL); set PORT, or --hostname, to one that this process may use.`,
      ),
    );
  } finally {
    other.close();
  }
  await expect(requireFreePort(port, "127.0.0.1")).resolves.toBeUndefined();
});
