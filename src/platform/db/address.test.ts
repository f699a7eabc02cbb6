import { expect, test } from "vitest";
import { databaseAddress, hasKnownTlsMode } from "./address.ts";

const sslOf = (address: string) => databaseAddress(address).ssl;

test.each([
  "postgres://svc:secret@db.internal:5432/svc",
  "postgres://svc@10.0.0.7/svc",
  "postgresql://svc@localhost.example/svc",
  "postgres://svc@[2001:db8::1]:5432/svc?application_name=x",
  "postgres://svc@127.0.0.1/svc?sslmode=verify-full",
])("%s: TLS, and the certificate is checked for that host", (address) => {
  const { hostname } = new URL(address);
  expect(sslOf(address)).toEqual({ rejectUnauthorized: true, host: hostname.replace(/^\[|\]$/g, "") });
});

test.each([
  "postgres://svc@127.0.0.1:5432/svc",
  "postgres://svc@127.3.2.1/svc",
  "postgres://svc@localhost/svc",
  "postgres://svc@[::1]:5432/svc",
  "postgres://svc@%2Fvar%2Frun%2Fpostgresql/svc",
  "postgres:///svc",
  "postgres://svc@db.internal/svc?sslmode=disable",
])("%s: none", (address) => {
  expect(sslOf(address)).toBe(false);
});

test("what the driver would take for settings of the server is taken out of the address, and nothing else", () => {
  const { url } = databaseAddress("postgres://svc:p%40ss@db.internal/svc?sslmode=require&sslrootcert=system&options=x");
  expect(url).toBe("postgres://svc:p%40ss@db.internal/svc?options=x");
});

test("modes that whoever stands between can turn into none are no modes", () => {
  for (const mode of ["prefer", "allow", "no-verify", ""])
    expect(hasKnownTlsMode(`postgres://db/svc?sslmode=${mode}`)).toBe(false);
  for (const mode of ["disable", "require", "verify-ca", "verify-full"])
    expect(hasKnownTlsMode(`postgres://db/svc?sslmode=${mode}`)).toBe(true);
  expect(hasKnownTlsMode("postgres://db/svc")).toBe(true);
});
