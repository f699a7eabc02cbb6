import { expect, test } from "vitest";
import { cloneEntries, type GitContext } from "./gitEnvironment.ts";
import { isTooOpen } from "./loginScope.ts";

const LOGIN = { username: "x-access-token", password: "t0ken" };

/** The addresses that git would send the login to, by its header or by its helper. */
function scopes(repository_url: string, gitLoginsByHttp = false): string[] {
  const scm_credentials = { ...LOGIN, owner: LOGIN };
  const context = { source: { type: "git", repository_url }, scm_credentials } as unknown as GitContext;
  const keys = cloneEntries(context, { gitLoginsByHttp }, "/login").map(([key]) => key);
  return keys.flatMap((key) => /^(?:http|credential)\.(.*)\.(?:extraHeader|useHttpPath)$/.exec(key)?.[1] ?? []);
}

test("a login is bound to scheme, host, port and path of the repository, and to its owner there", () => {
  expect(scopes("https://git.example.com:8443/acme/infra.git")).toEqual([
    "https://git.example.com:8443/acme/infra",
    "https://git.example.com:8443/acme/infra.git",
    "https://git.example.com:8443/acme",
  ]);
  expect(scopes("https://git.example.com/acme/platform/infra").at(-1)).toBe("https://git.example.com/acme");
  // A login in the address is no part of what it is bound to.
  expect(scopes("https://somebody@git.example.com/acme/infra")[0]).toBe("https://git.example.com/acme/infra");
});

test("by plain http it goes to this machine alone, unless the operator says otherwise", () => {
  for (const away of ["http://git.example.com/acme/infra", "http://10.0.0.1/acme/infra", "http://127.evil.test/a/b"]) {
    expect(scopes(away)).toEqual([]);
    expect(isTooOpen(away, { gitLoginsByHttp: false })).toBe(true);
    expect(scopes(away, true)).not.toEqual([]);
    expect(isTooOpen(away, { gitLoginsByHttp: true })).toBe(false);
  }
  expect(scopes("http://127.0.0.1:3000/acme/infra")).not.toEqual([]);
});

test("no other transport takes it", () => {
  for (const url of ["ssh://git@git.example.com/acme/infra", "git@git.example.com:acme/infra", "file:///srv/infra"])
    expect(scopes(url, true)).toEqual([]);
});
