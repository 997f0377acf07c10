import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { expect, it, vi } from "vitest";
import { ownAddresses } from "../../src/api/own-addresses.ts";

const spied = (read: () => ReturnType<typeof os.networkInterfaces>) => {
  vi.spyOn(os, "networkInterfaces").mockImplementation(read);
  syncBuiltinESMExports();
};
const address = (text: string): os.NetworkInterfaceInfo => ({
  ...{ address: text, netmask: "255.0.0.0", family: "IPv4", mac: "00:00:00:00:00:00", internal: true },
  cidr: `${text}/8`,
});

it("are those of all interfaces, as they are at each call", () => {
  spied(() => ({
    lo: [address("127.0.0.1"), address("127.0.0.2")],
    gone: undefined,
    eth0: [address("10.0.0.1")],
  }));
  expect(ownAddresses().map((each) => each.address)).toEqual(["127.0.0.1", "127.0.0.2", "10.0.0.1"]);

  spied(() => ({ lo: [address("127.0.0.1")] }));
  expect(ownAddresses().map((each) => each.address)).toEqual(["127.0.0.1"]);
});

it("are none where the system keeps them from its processes", () => {
  spied(() => {
    throw new Error("uv_interface_addresses returned Unknown system error 97");
  });

  expect(ownAddresses()).toEqual([]);
});
