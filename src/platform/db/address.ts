/**
 * How a database is reached, by its address: with TLS and a certificate for that very host, unless the database is on
 * this machine or the address says otherwise as libpq writes it (docs/operations.md#the-way-to-postgres).
 */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { isLoopbackHost } from "../hosts/loopback.ts";

/** Without `prefer` and `allow`, which whoever stands between can turn into none. */
export const TLS_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

export type DatabaseAddress = {
  url: string;
  ssl: false | Pick<ConnectionOptions, "ca" | "rejectUnauthorized" | "host">;
};

/** For the driver, which knows neither of the two parameters as libpq means them. @throws when the file is not there */
export function databaseAddress(address: string): DatabaseAddress {
  const url = new URL(address);
  const mode = url.searchParams.get("sslmode") ?? (isHere(url.hostname) ? "disable" : "verify-full");
  const file = url.searchParams.get("sslrootcert");
  url.searchParams.delete("sslmode");
  url.searchParams.delete("sslrootcert");
  if (mode === "disable") return { url: url.href, ssl: false };
  const trusted = file === null || file === "system" ? {} : { ca: readFileSync(file, "utf8") };
  return { url: url.href, ssl: { ...trusted, ...check(mode, url.hostname.replace(/^\[|\]$/g, "")) } };
}

function check(mode: string, host: string) {
  if (mode === "require") return { rejectUnauthorized: false };
  // Any host that the authority vouches for.
  if (mode === "verify-ca") return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
  // The driver tells the TLS library names alone, which would take an address for `localhost`.
  return { rejectUnauthorized: true, host };
}

/** This machine: its loopback, or a socket of its file system. */
function isHere(hostname: string): boolean {
  return isLoopbackHost(hostname) || hostname === "" || /^%2f/i.test(hostname);
}

/** Whether the address names a mode that there is. */
export function hasKnownTlsMode(address: string): boolean {
  const mode = URL.parse(address)?.searchParams.get("sslmode") ?? null;
  return mode === null || (TLS_MODES as readonly string[]).includes(mode);
}
