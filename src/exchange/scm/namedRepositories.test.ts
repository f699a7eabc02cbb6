import { describe, expect, it } from "vitest";
import { namedRepositories } from "./namedRepositories.ts";

const TOLD = [
  "https://git.corp.example/acme/infra.git",
  "https://git.corp.example/acme/infra",
  "git@git.corp.example:acme/infra.git",
];
const KEY = "git.corp.example/acme/infra";
const any = () => true;

describe("the names of a delivery's repository", () => {
  it.each<[string, string[], string[], (address: string) => boolean, string[]]>([
    ["one of all equal addresses", TOLD, [], any, [KEY]],
    ["none when no address is the integration's", TOLD, [], () => false, []],
    ["also when only one for ssh is", TOLD, [], (at) => at.startsWith("git@"), [KEY]],
    [
      "each of a host that tells another for ssh",
      [...TOLD, "git@ssh.corp.example:acme/infra.git"],
      [],
      any,
      [KEY, "ssh.corp.example/acme/infra"],
    ],
    ["each of the host's other names", TOLD, ["ssh.corp.example"], any, [KEY, "ssh.corp.example/acme/infra"]],
    [
      "those too where only an address under another name is the integration's",
      TOLD,
      ["ssh.corp.example"],
      (at) => at.includes("@ssh.corp.example"),
      ["ssh.corp.example/acme/infra"],
    ],
    [
      "with ports and mirrors",
      ["https://git.corp.example:8443/Acme/Infra.git", "https://mirror.example/acme/infra-copy.git"],
      ["ssh.corp.example"],
      any,
      [KEY, "mirror.example/acme/infra-copy", "ssh.corp.example/acme/infra", "ssh.corp.example/acme/infra-copy"],
    ],
    ["nothing of what is no address", ["git.corp.example", ""], ["ssh.corp.example"], () => false, []],
  ])("are %s", (_, told, names, isOurs, expected) => expect(namedRepositories(told, names, isOurs)).toEqual(expected));
});
