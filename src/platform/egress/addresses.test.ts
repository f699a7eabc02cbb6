import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { cidrs } from "../settings/formats.ts";
import { type EgressPolicy, mayConnect } from "./addresses.ts";

const policy = (allow = ""): EgressPolicy => ({ allow: v.parse(cidrs, allow), ports: [80, 443] });

describe("mayConnect", () => {
  it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111", "2a00:1450:4001::8a"])(
    "lets public %s through at listed ports only",
    (address) => {
      expect(mayConnect(policy(), address, 443)).toBe(true);
      expect(mayConnect(policy(), address, 6379)).toBe(false);
    },
  );

  it.each([
    ["loopback", "127.0.0.1"],
    ["loopback, all of it", "127.255.255.254"],
    ["loopback v6", "::1"],
    ["unspecified", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["unspecified v6", "::"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["link-local, cloud metadata", "169.254.169.254"],
    ["carrier grade NAT", "100.64.0.1"],
    ["carrier grade NAT, cloud metadata", "100.100.100.200"],
    ["protocol assignments, cloud metadata", "192.0.0.192"],
    ["cloud host agent at a public address", "168.63.129.16"],
    ["benchmarking", "198.18.0.1"],
    ["documentation", "203.0.113.1"],
    ["6to4 relay", "192.88.99.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unique local", "fd00::1"],
    ["unique local, cloud metadata", "fd00:ec2::254"],
    ["link-local v6", "fe80::1"],
    ["link-local v6 with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["multicast v6", "ff02::1"],
    ["mapped loopback", "::ffff:127.0.0.1"],
    ["mapped loopback in hexadecimal", "::ffff:7f00:1"],
    ["mapped public", "::ffff:8.8.8.8"],
    ["translated loopback (SIIT)", "::ffff:0:127.0.0.1"],
    ["compatible loopback", "::127.0.0.1"],
    ["NAT64 loopback", "64:ff9b::127.0.0.1"],
    ["local NAT64", "64:ff9b:1::7f00:1"],
    ["6to4 of loopback", "2002:7f00:1::1"],
    ["6to4 of private", "2002:a00:1::1"],
    ["Teredo", "2001:0:7f00:1::1"],
    ["documentation v6", "2001:db8::1"],
    ["discard", "100::1"],
    ["outside the public block", "4000::1"],
    ["a name", "localhost"],
    ["a short form", "127.1"],
    ["a whole number", "2130706433"],
    ["nothing", ""],
  ])("refuses %s: %s", (_what, address) => {
    expect(mayConnect(policy(), address, 443)).toBe(false);
  });

  it("opens what the operator opened, at the port named or at any", () => {
    const opened = policy("127.0.0.1:3000, 10.0.0.0/8, [::1]:3000, 64:ff9b::/96");
    expect(mayConnect(opened, "127.0.0.1", 3000)).toBe(true);
    expect(mayConnect(opened, "::ffff:127.0.0.1", 3000)).toBe(true);
    expect(mayConnect(opened, "::1", 3000)).toBe(true);
    expect(mayConnect(opened, "10.20.30.40", 9999)).toBe(true);
    expect(mayConnect(opened, "64:ff9b::808:808", 443)).toBe(true);
    expect(mayConnect(opened, "127.0.0.1", 3001)).toBe(false);
    expect(mayConnect(opened, "127.0.0.2", 3000)).toBe(false);
    expect(mayConnect(opened, "11.0.0.1", 9999)).toBe(false);
  });
});
