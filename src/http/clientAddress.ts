/** Who is at the other end, for limits by address and for people to read. */
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";

/**
 * The client as a limit counts it: a version 4 address, also when it comes as a mapped one, or a version 6 network of
 * 64 bits, which is what one household or host gets and can take any address of.
 */
export function clientKey(c: Context, trustedProxies: number): string {
  return addressKey(clientAddress(c, trustedProxies)) ?? "unknown";
}

/**
 * The client's address as text, for a person to read; empty where there is none.
 * @param trustedProxies how many proxies in front append the address they saw to X-Forwarded-For; what a client wrote
 *   into it further left is never looked at
 */
export function clientAddress(c: Context, trustedProxies: number): string {
  const hops = (c.req.header("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  const seen = [...hops, peerAddress(c)];
  const named = bareAddress(seen.at(-1 - Math.min(trustedProxies, seen.length - 1)) ?? "");
  return named ?? bareAddress(peerAddress(c)) ?? "";
}

/** The key of one address, or null for what is none. Pure. */
export function addressKey(text: string): string | null {
  const bare = bareAddress(text);
  if (bare === null) return null;
  const address = ipaddr.parse(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()}/64`;
}

/** An address by itself, a mapped one as the version 4 address that it stands for. */
function bareAddress(text: string): string | null {
  // Some proxies write the port too.
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null;
}

function peerAddress(c: Context): string {
  // Called without a server there is no socket, and so no peer.
  const { incoming } = (c.env ?? {}) as { incoming?: unknown };
  return incoming === undefined ? "" : (getConnInfo(c).remote.address ?? "");
}
