import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseRepositoryUrl, repositoryKey } from "./repositoryUrl.ts";

test.each([
  ["https://git.example/team/repo.git", "https", "git.example", 443],
  ["https://git.example:8443/~user/repo", "https", "git.example", 8443],
  ["https://[2001:db8::1]/r.git", "https", "2001:db8::1", 443],
  ["ssh://git@git.example/team/repo.git", "ssh", "git.example", 22],
  ["ssh://git@git.example:2222/r", "ssh", "git.example", 2222],
  ["git@git.example:team/repo.git", "ssh", "git.example", 22],
  ["https://git.example/.github/..dots.", "https", "git.example", 443],
  ["http://git.example/r", "http", "git.example", 80],
  ["git://git.example/r", "git", "git.example", 9418],
  ["file:///srv/git/r.git", "file", "", null],
])("%s", (text, protocol, host, port) => {
  expect(parseRepositoryUrl(text)).toEqual({ protocol, host, port });
});

test.each([
  "https://git.example",
  "https://git.example/",
  "https://u:p@git.example/r",
  "https://:p@git.example/r",
  "https://token@git.example/r",
  "https://git.example/r#x",
  "https://git.example/r?x",
  "https://git.example/r r",
  "https://git.example/r\n",
  "https://git.example\\@evil.example/r",
  "https://ex\u0430mple.org/r",
  "HTTPS://git.example/r",
  " https://git.example/r",
  "file://host/srv",
  "file:srv",
  "ext::sh -c id",
  "-oProxyCommand=id@host:r",
  "git@-oProxyCommand=id:r",
  "git@host:-r",
  "ssh://-oProxyCommand=id/r",
  "/srv/git/r.git",
  "../r.git",
  "host:r",
  "https://git.example/acme/../other/r",
  "https://git.example/acme/./r",
  "https://git.example/acme/..",
  "https://git.example/acme/%2E%2e/other/r",
  "https://git.example/acme%2f..%2Fother/r",
  "ssh://git@git.example/acme/../other/r",
  "git@git.example:../other/r",
  "git@git.example:acme/../other/r",
  "file:///srv/git/../other/r.git",
  `https://git.example/${"r".repeat(1_000)}`,
])("refuses %j", (text) => {
  expect(parseRepositoryUrl(text)).toBeNull();
});

test("whatever passes holds nothing that a shell, git or a terminal would read as more than an address", () => {
  const unit = fc.constantFrom(..."ag:/@.-_%+~=,;$`'\"\\ \n\t|&<>(){}[]#?*!\u0000\u202e");
  const text = fc
    .tuple(fc.constantFrom("", "https://", "ssh://", "git@", "file://", "https://h/", "git@h:"), fc.string({ unit }))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, (candidate) => {
      if (parseRepositoryUrl(candidate) === null) return;
      expect(candidate).not.toMatch(/[\s$`'"\\|&<>(){}#?*!;\p{C}]|^-/u);
    }),
    { numRuns: 3_000 },
  );
});

describe("repositoryKey", () => {
  it.each([
    ["https://github.example/Acme/Network.git", "github.example/acme/network"],
    ["https://github.example/Acme/Network", "github.example/acme/network"],
    ["https://github.example:8443/acme//network/", "github.example/acme/network"],
    ["git@github.example:acme/network.git", "github.example/acme/network"],
    ["ssh://git@github.example:2222/acme/network.git", "github.example/acme/network"],
    ["https://git.example/group/sub/project.git", "git.example/group/sub/project"],
    ["file:///srv/Repos/network.git", "file/srv/Repos/network"],
  ])("%s is %s", (url, key) => expect(repositoryKey(url)).toBe(key));

  it("is another for another owner, name or host", () => {
    const keys = ["https://h.example/a/b", "https://h.example/a/bc", "https://h.example/ab/b", "https://i.example/a/b"];
    expect(new Set(keys.map(repositoryKey)).size).toBe(4);
  });
});
