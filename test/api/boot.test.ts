/** What keeps a start from its port, and from its database. */

import { once } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, connect, createServer } from "node:net";
import os from "node:os";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { prepareDatabase, requireFreePort } from "../../src/api/boot.ts";
import { isDatabaseUnavailable } from "../../src/api/db/database-away.ts";
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
    // As after the last one, for what takes the next: `npx vitrine index beside`.
    await expect(requireFreePort(65_536)).rejects.toEqual(
      new BootError(
        "Port 65536 can't be listened on (ERR_SOCKET_BAD_PORT); set PORT, or --hostname, to one that this process may use.",
      ),
    );
  } finally {
    other.close();
  }
  await expect(requireFreePort(port, "127.0.0.1")).resolves.toBeUndefined();
});

it("a port that a connection of this machine has, and at which nothing listens, is waited for", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connection = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
  await once(connection, "connect");
  const port = connection.localPort as number;
  let said = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said += text;
    // Without a wait in which the system keeps the port.
    connection.resetAndDestroy();
    return true;
  });
  try {
    await requireFreePort(port);
  } finally {
    vi.restoreAllMocks();
    connection.destroy();
    server.close();
  }

  expect(said).toBe(
    `vitrine: Port ${port} is taken, and nothing listens there: a connection of this machine has it, or had it until a minute ago. Set PORT to one that the system gives to no connection, or reserve it (net.ipv4.ip_local_reserved_ports). Waiting for it.\n`,
  );
});

it("a port that only one address of this machine listens on is in use for all of them", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;

  await expect(requireFreePort(port, "0.0.0.0")).rejects.toThrow(
    `Port ${port} is in use; stop what listens there`,
  );
  other.close();
});

it("a port is in use where the system keeps the machine's addresses from the service, too", async () => {
  const other = createServer().listen(0);
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  vi.spyOn(os, "networkInterfaces").mockImplementation(() => {
    throw new Error("uv_interface_addresses returned Unknown system error 97");
  });
  syncBuiltinESMExports();
  try {
    await expect(requireFreePort(port)).rejects.toThrow(`Port ${port} is in use; stop what listens there`);
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    other.close();
  }
});

describe("what a start does in its database", () => {
  const target = { connectionString: "postgresql://unused", schema: "x" };
  let said: string;
  beforeEach(() => {
    said = "";
    vi.spyOn(process, "exit").mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      said += text;
      return true;
    });
  });
  afterEach(() => void vi.restoreAllMocks());
  const fails = (code: string) => () =>
    Promise.reject(Object.assign(new Error("canceling statement"), { code }));

  it("ends with the code for another start where PostgreSQL is away, and where a short statement took too long", async () => {
    await expect(prepareDatabase(target, fails("57P01"))).rejects.toThrow("exit 75");
    await expect(prepareDatabase(target, fails("57014"), isDatabaseUnavailable)).rejects.toThrow("exit 75");

    expect(said).toBe(
      "vitrine: PostgreSQL can't be reached (canceling statement).\nvitrine: PostgreSQL is too busy (canceling statement).\n",
    );
  });

  it("tries no long statement again that took too long, nor a wrong one", async () => {
    await expect(prepareDatabase(target, fails("57014"))).rejects.toThrow("canceling statement");
    await expect(prepareDatabase(target, fails("42703"), isDatabaseUnavailable)).rejects.toThrow(
      "canceling statement",
    );

    expect(said).toBe("");
  });
});
