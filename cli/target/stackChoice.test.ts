import { describe, expect, test } from "vitest";
import { repositoryKey, stackOfPlace } from "./stackChoice.ts";

test.each([
  ["https://github.com/acme/infra.git", "git@github.com:acme/infra.git"],
  ["https://github.com/Acme/Infra/", "ssh://git@github.com/acme/infra"],
  ["https://token@github.com/acme/infra", "https://github.com/acme/infra.git"],
  ["file:///srv/git/infra", "/srv/git/infra"],
  ["ssh://git@host.example:2222/acme/infra", "git@host.example:acme/infra"],
])("%s and %s are one repository", (one, other) => {
  expect(repositoryKey(one)).toBe(repositoryKey(other));
});

test("others are others", () => {
  const keys = ["https://github.com/acme/infra", "https://github.com/acme/infra2", "https://gitlab.com/acme/infra"];
  expect(new Set(keys.map(repositoryKey)).size).toBe(3);
});

describe("a place in a repository", () => {
  const repository_url = "https://git.example/acme/infra.git";
  const stacks = [
    { id: "network", repository_url, working_directory: "live/network" },
    { id: "app", repository_url, working_directory: "./live/app/" },
    { id: "root", repository_url, working_directory: "." },
    { id: "elsewhere", repository_url: "https://git.example/acme/other", working_directory: "live/network" },
  ];
  const remotes = ["git@git.example:acme/infra.git"];
  const of = (directory: string, among = stacks) => stackOfPlace({ remotes, directory }, among);

  test.each([
    ["live/network", "network"],
    ["live/network/modules/x", "network"],
    ["live/app", "app"],
    [".", "root"],
    ["live", "root"],
  ])("%s is of %s", (directory, stack) => {
    expect(of(directory)).toBe(stack);
  });

  test("of two stacks is neither", () => {
    const twice = [...stacks, { id: "network-eu", repository_url, working_directory: "live/network" }];
    expect(() => of("live/network", twice)).toThrow(/network, network-eu/);
  });

  test("without a stack is told which there are", () => {
    expect(() => of("other", stacks.slice(0, 2))).toThrow(/network, app/);
    expect(() => stackOfPlace({ remotes: ["https://x.example/y"], directory: "." }, stacks)).toThrow(
      /No stack is of this repo/,
    );
  });
});
