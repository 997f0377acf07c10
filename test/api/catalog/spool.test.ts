/** The file of an export, between its writer and its reader. */

import { writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { openSpool } from "../../../src/api/catalog/exports/spool.ts";
import { makePrivateFolder } from "../../support/folder.ts";

it("ends for its reader and its writer if the disk can't be read", async () => {
  let closed = 0;
  const spool = await openSpool(makePrivateFolder(), {
    stallMs: 60_000,
    onStall: () => undefined,
    onClose: () => closed++,
  });
  spool.grow(writeSync(spool.fd, "a line\n"));
  const other = await open("/dev/null");
  const disk = vi
    .spyOn(Object.getPrototypeOf(other), "read")
    .mockRejectedValueOnce(new Error("EIO: i/o error"));
  try {
    await expect(new Response(spool.read()).text()).rejects.toThrow("EIO");
  } finally {
    disk.mockRestore();
    await other.close();
  }

  expect(spool.left.aborted).toBe(true);
  await spool.end();
  expect(closed).toBe(1);
});
