/** The addresses that an untrusted URL may lead to. */

import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../src/api/fetch/safe-address.ts";

describe("addresses of the public internet", () => {
  it.each(["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1"])(
    "%s is one",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  it.each(["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888"])(
    "%s is one",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
});

describe("everything else is refused", () => {
  it.each([
    ["loopback", ["127.0.0.1", "127.255.255.254", "127.1", "0x7f000001", "2130706433", "0177.0.0.1", "::1"]],
    ["unspecified", ["0.0.0.0", "0.1.2.3", "::"]],
    [
      "private",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "fec0::1"],
    ],
    ["shared by a carrier", ["100.64.0.1", "100.127.255.255"]],
    ["link-local and cloud metadata", ["169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254"]],
    ["a cloud's own services under a public address", ["168.63.129.16"]],
    ["multicast and broadcast", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
    ["reserved", ["240.0.0.1", "192.0.0.8", "192.88.99.1", "100::1", "5f00::1"]],
    [
      "for tests and documents",
      ["198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    ],
    [
      "IPv4 in another guise",
      ["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "::7f00:1"],
    ],
    [
      "IPv4 behind a translator",
      ["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001::1"],
    ],
    ["no address", ["", "localhost", "host.example", "1.2.3.4.5", "[::1]", "127.0.0.1:80", "٨.٨.٨.٨"]],
  ])("%s: %j", (_kind, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
