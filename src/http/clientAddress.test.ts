import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { addressKey, clientKey } from "./clientAddress.ts";

describe("the key of an address", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:c000:207", "192.0.2.7"],
    ["192.0.2.7:8080", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80::/64"],
    ["", null],
    ["unknown", null],
    ["1.2.3.4.5", null],
  ])("%s is %s", (text, key) => {
    expect(addressKey(text)).toBe(key);
  });
});

describe("the client of a request", () => {
  const of = async (header: string | undefined, trustedProxies: number) => {
    const app = new Hono().get("/", (c) => c.text(clientKey(c, trustedProxies)));
    const socket = { remoteAddress: "10.0.0.1", remotePort: 1, remoteFamily: "IPv4" };
    const headers = header === undefined ? {} : { "x-forwarded-for": header };
    return (await app.request("/", { headers }, { incoming: { socket } })).text();
  };

  it("is the peer when no proxy is trusted", async () => {
    expect(await of("192.0.2.1", 0)).toBe("10.0.0.1");
    expect(await of(undefined, 0)).toBe("10.0.0.1");
  });

  it("is what the outermost trusted proxy saw, and never what stands left of it", async () => {
    expect(await of("192.0.2.1", 1)).toBe("192.0.2.1");
    expect(await of("6.6.6.6, 192.0.2.1", 1)).toBe("192.0.2.1");
    expect(await of("6.6.6.6, 192.0.2.1, 10.0.0.2", 2)).toBe("192.0.2.1");
    expect(await of("192.0.2.1", 3)).toBe("192.0.2.1");
    expect(await of("6.6.6.6, junk", 1)).toBe("10.0.0.1");
  });
});
