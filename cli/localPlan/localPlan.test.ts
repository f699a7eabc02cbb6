/** What of a tree is uploaded, and what is refused before anything is. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { linkParts, partsOf } from "../../runner/archive/entryRules.ts";
import { unpackArchive } from "../../runner/archive/unpackArchive.ts";
import { collectTree } from "./collect.ts";
import { assertLink, assertName } from "./entryRules.ts";
import { rulesOf } from "./ignoreRules.ts";
import { pack } from "./pack.ts";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "tree-"));
  made.push(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

describe("without a file of rules", () => {
  const rules = rulesOf(null);
  test.each([
    ["main.tf", false],
    [".git/config", true],
    ["modules/x/.git/config", true],
    [".terraform/providers/x", true],
    [".terraform/modules/vpc/main.tf", false],
    ["live/network/.terraform/terraform.tfstate", true],
    ["live/network/.terraform/modules/modules.json", false],
    [".terraform.lock.hcl", false],
    [".gitignore", false],
  ])("%s is left out: %s", (path, out) => {
    expect(rules.leavesOut(path, false)).toBe(out);
  });
});

test("the files of a dirty tree go, without what either file of rules leaves out", async () => {
  const root = tree({
    "main.tf": "",
    "new-and-not-committed.tf": "",
    ".gitignore": "*.tfvars\nbuild/\n!kept.tfvars\n",
    "secret.tfvars": "",
    "kept.tfvars": "",
    "taken.auto.tfvars": "",
    "build/out.zip": "",
    "build/taken.zip": "",
    ".terraformignore": "# large\n/docs/\n!taken.auto.tfvars\n*.mp4\n",
    "docs/film.mp4": "",
    "live/docs/readme": "",
    "live/a.mp4": "",
    "live/.gitignore": "local\n!*.tfvars\n",
    "live/local": "",
    "live/own.tfvars": "",
    ".terraform/providers/p": "",
    ".terraform/modules/m/main.tf": "",
    ".git/HEAD": "",
  });
  const { paths } = await collectTree(root);
  expect(paths.filter((path) => !path.endsWith("ignore")).sort()).toEqual(
    [
      ".terraform",
      ".terraform/modules",
      ".terraform/modules/m",
      ".terraform/modules/m/main.tf",
      "kept.tfvars",
      "live",
      "live/docs",
      "live/docs/readme",
      "live/own.tfvars",
      "main.tf",
      "new-and-not-committed.tf",
      "taken.auto.tfvars",
    ].sort(),
  );
});

test("git leaves out the same by its own file", async () => {
  const root = tree({
    ".gitignore": "*.log\n/top\nsub/inner/\n!sub/kept.log\na/**/z\n",
    "a.log": "",
    top: "",
    "sub/top": "",
    "sub/inner/x": "",
    "sub/kept.log": "",
    "a/b/c/z": "",
    "a/y": "",
    "sub/.gitignore": "top\n",
  });
  execFileSync("git", ["-C", root, "init", "-q"]);
  const listed = execFileSync("git", ["-C", root, "ls-files", "-co", "--exclude-standard"], { encoding: "utf8" });
  const { paths } = await collectTree(root);
  const files = paths.filter((path) => listed.split("\n").includes(path));
  expect(files.sort()).toEqual(listed.trim().split("\n").sort());
  expect(paths).not.toEqual(expect.arrayContaining(["sub/top", "a.log", "top", "a/b/c/z", "sub/inner"]));
});

test("a runner unpacks what was packed", async () => {
  const root = tree({ "main.tf": "resource", "empty/.keep": "", "deep/a/b/c/ü.tf": "x" });
  symlinkSync("../main.tf", join(root, "deep/link.tf"));
  symlinkSync("a/b", join(root, "deep/folder"));
  const packed = await pack(await collectTree(root));
  const into = tree({});
  const { entries } = await unpackArchive(packed.file, into);
  expect(entries).toBe(10);
  expect(execFileSync("git", ["diff", "--no-index", "--stat", root, into], { encoding: "utf8" })).toBe("");
  await packed.remove();
});

describe("is refused here as by the runner", () => {
  const refuses = (call: () => unknown) => {
    try {
      call();
      return false;
    } catch {
      return true;
    }
  };
  test.each([
    ["a/b", "c"],
    ["a/b", "../c"],
    ["a/b", "../../c"],
    ["b", ".."],
    ["a/b", "/etc/passwd"],
    ["a/b/c", "../../x/../../y"],
    ["a/b", "x/../y"],
    ["a/b", ""],
    ["a/b", "./../c"],
    ["a/b", "x\ny"],
  ])("a link %s -> %j", (path, target) => {
    expect(refuses(() => assertLink(path, target))).toBe(refuses(() => linkParts(path, target)));
  });

  test.each(["plain", "a\u0007b", "x".repeat(1_025), `${"y".repeat(256)}/z`, "ü".repeat(128), "ü".repeat(127)])(
    "a name %j",
    (name) => {
      expect(refuses(() => assertName(name))).toBe(refuses(() => partsOf(name)));
    },
  );
});

describe("before anything is sent", () => {
  test("a link that leads out is named, with what to write", async () => {
    const root = tree({ "main.tf": "" });
    symlinkSync("/etc", join(root, "etc"));
    await expect(collectTree(root)).rejects.toMatchObject({
      code: 3,
      hint: expect.stringContaining(".terraformignore"),
    });
    writeFileSync(join(root, ".terraformignore"), "etc\n");
    await expect(collectTree(root)).resolves.toBeDefined();
  });

  test("what is no file is named", async () => {
    const root = tree({ "main.tf": "" });
    execFileSync("mkfifo", [join(root, "pipe")]);
    await expect(collectTree(root)).rejects.toThrow(/"pipe" is no file/);
  });

  test("too much is named by its largest file", async () => {
    const root = tree({ "main.tf": "", large: "" });
    truncateSync(join(root, "large"), 600_000_000);
    await expect(collectTree(root)).rejects.toThrow(/largest file is "large"/);
  });

  test("what packs too well is refused", async () => {
    const root = tree({ "main.tf": "", zeros: "" });
    truncateSync(join(root, "zeros"), 20_000_000);
    await expect(pack(await collectTree(root))).rejects.toThrow(/200 times its size/);
  });

  test("nothing is refused too", async () => {
    await expect(collectTree(tree({}))).rejects.toThrow(/there is no file in it/);
  });
});
