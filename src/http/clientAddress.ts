/** Who is at the other end, for limits by address. */
import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context } from "hono";
import ipaddr from "ipaddr.js";

/**
 * The client as a limit counts it: a version 4 address, also when it comes as a mapped one, or a version 6 network of
 * 64 bits, which is what one household or host gets and can take any address of.
 * @param trustedProxies how many proxies in front append the address they saw to X-Forwarded-For; what a client wrote
 * into
 *   it further left is never looked at
 */
export function clientKey(c: Context, trustedProxies: number): string {
  const hops = (c.req.header("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  const seen = [...hops, peerAddress(c)];
  return (
    addressKey(seen.at(-1 - Math.min(trustedProxies, seen.length - 1)) ?? "") ?? addressKey(peerAddress(c)) ?? "unknown"
  );
}

/** The key of one address, or null for what is none. Pure. */
export function addressKey(text: string): string | null {
  // Some proxies write the port too.
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(text)?.[1] ?? text;
  if (!ipaddr.isValid(bare)) return null;
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/64`).toString()}/64`;
}

function peerAddress(c: Context): string {
  // Called without a server there is no socket, and so no peer.
  const { incoming } = (c.env ?? {}) as { incoming?: unknown };
  return incoming === undefined ? "" : (getConnInfo(c).remote.address ?? "");
}
