import ipaddr from "ipaddr.js";
import type { OpenedRange } from "../settings/formats.ts";

/** What outbound calls may reach: public addresses at the listed ports, and the ranges the operator opened. */
export type EgressPolicy = {
  /** Ranges of any kind that the operator opened. */
  allow: readonly OpenedRange[];
  /** Ports of public addresses. */
  ports: readonly number[];
};

/**
 * Addresses inside the public ranges that belong to a cloud's own machinery: the host agent of Azure answers every
 * virtual machine there, with credentials.
 */
const CLOUD_INTERNAL: readonly string[] = ["168.63.129.16"];

/** Only this block holds public version 6 addresses; `::a.b.c.d` and other leftovers lie outside of it. */
const PUBLIC_V6 = ipaddr.parseCIDR("2000::/3");

/**
 * Whether a connection to this address and port is allowed. Forms that carry a version 4 address inside (mapped,
 * translated, 6to4, Teredo) are never public; the operator may open them as the ranges they are.
 */
export function mayConnect(policy: EgressPolicy, address: string, port: number): boolean {
  if (!ipaddr.isValid(address)) return false;
  // A mapped address reaches the version 4 host, so it is judged against what was opened as that host.
  const plain = ipaddr.process(address);
  const opened = policy.allow.some(
    (range) =>
      (range.port === undefined || range.port === port) &&
      range.address.kind() === plain.kind() &&
      plain.match(range.address, range.prefix),
  );
  return opened || (policy.ports.includes(port) && isPublic(ipaddr.parse(address)));
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv6) return address.match(PUBLIC_V6[0] as ipaddr.IPv6, PUBLIC_V6[1]);
  return !CLOUD_INTERNAL.includes(address.toString());
}
