import { describe, expect, it } from "vitest";
import { anchorsOf } from "./anchors.ts";
import { referencesIn } from "./find.ts";
import { brokenReferences } from "./resolve.ts";

describe("anchorsOf", () => {
  it.each([
    ["# Locks", "locks"],
    ["## Claims are fenced ##", "claims-are-fenced"],
    ["### A run's end, and what follows", "a-runs-end-and-what-follows"],
    ["## `plan_unlocked` runs", "plan_unlocked-runs"],
    ["## The [order](queue.md) of things", "the-order-of-things"],
    ["## 3. Let the host deliver", "3-let-the-host-deliver"],
    ["## One -- two", "one----two"],
  ])("%s", (heading, anchor) => {
    expect([...anchorsOf(`text\n\n${heading}\nmore`)]).toEqual([anchor]);
  });

  it("numbers headings that repeat", () => {
    expect([...anchorsOf("# A\n## A\n## A")]).toEqual(["a", "a-1", "a-2"]);
  });

  it("passes over comments of shell in a block of code", () => {
    expect([...anchorsOf("# A\n```sh\n# not a heading\n```\n# B")]).toEqual(["a", "b"]);
  });
});

describe("referencesIn", () => {
  it.each([
    ["a.ts", "/** Decided once (docs/queue.md#locks). */", ["page docs/queue.md#locks"]],
    ["a.ts", "/** docs/queue.md, docs/stacks.md */", ["page docs/queue.md", "page docs/stacks.md"]],
    [
      "docs/rules/a.md",
      "see [locks](../queue.md#locks) and [above](#here)",
      ["page docs/queue.md#locks", "page docs/rules/a.md#here"],
    ],
    ["docs/a.md", "[elsewhere](https://example.com/docs/x.md) `/docs/x.md`", []],
    ["a.ts", " * as `src/core/runs/lifecycle.ts` says.", ["path src/core/runs/lifecycle.ts"]],
    ["a.ts", "// a folder: `test/histories/`.", ["path test/histories"]],
    ["a.ts", 'start("src/invented.ts"); // as in src/main/api.ts', ["path src/main/api.ts"]],
    ["a.yml", "  # run by src/main/api.ts", ["path src/main/api.ts"]],
    ["a.yml", "/docker-entrypoint-initdb.d/databases.sql", []],
    ["a.ts", 'get("/runs/1/runner/ready"); tar("runner/ready");', []],
    ["a.ts", 'import x from "../../src/core/x.ts";', []],
    ["a.ts", "// what depends on time is `admission.ts`", ["neighbour admission.ts"]],
    ["a.ts", "const file = name('admission.ts');", []],
    ["a.ts", `/** Roles (${"spec"} 2.2, ${"design"} 6.2). */`, ["citation spec 2.2", "citation design 6.2"]],
    ["a.test.ts", `test("${"C"}16: a run that ended", () => {`, ["citation C16"]],
    ["a.test.ts", `// denied (${"S"}5.4)`, ["citation S5.4"]],
    ["a.ts", 'const { spec } = await describe(); "::FFFF:C000:0207"; 0xc0; // designed', []],
  ])("%s: %s", (path, line, expected) => {
    const found = referencesIn(path, line).map((each) => {
      if (each.kind === "citation") return `citation ${each.text}`;
      return `${each.kind} ${each.path}${each.kind === "page" && each.anchor !== null ? `#${each.anchor}` : ""}`;
    });
    expect(found.sort()).toEqual(expected.sort());
  });
});

describe("brokenReferences", () => {
  const good: [string, string | null][] = [
    ["docs/queue.md", "# The queue\n## Locks\n"],
    ["src/core/runs/claim.ts", "/** In one order (docs/queue.md#locks); as in `lapse.ts`. */"],
    ["src/core/runs/lapse.ts", "// see `src/core/runs`"],
  ];

  it("is silent about what exists", () => {
    expect(brokenReferences(new Map(good))).toEqual([]);
  });

  it.each([
    ["// docs/queue.md#lanes", "docs/queue.md#lanes names a heading that does not exist"],
    ["// docs/lanes.md", "docs/lanes.md names a file that does not exist"],
    ["// `src/runs/claim.ts`", "src/runs/claim.ts names a file that does not exist"],
    ["// `gone.ts`", "gone.ts names a file that does not exist"],
    [`// ${"spec"} 5.4`, "spec 5.4 cites a text that is not in the repository"],
  ])("tells where %s leads nowhere", (line, fault) => {
    const [first] = brokenReferences(new Map([...good, ["src/new.ts", `\n${line}`]]));
    expect(first).toBe(`src/new.ts:2: ${fault}`);
  });

  it("excuses old citations of a file, and nothing else of it", () => {
    const tree = new Map([...good, ["drizzle/0001_old.sql", `-- ${"spec"} 2.1, docs/gone.md`] as const]);
    const excused = new Set(["drizzle/0001_old.sql"]);
    expect(brokenReferences(tree)).toHaveLength(2);
    expect(brokenReferences(tree, excused)).toEqual([
      "drizzle/0001_old.sql:1: docs/gone.md names a file that does not exist",
    ]);
  });

  it("does not read what it was given no text of", () => {
    expect(brokenReferences(new Map([...good, ["package-lock.json", null]]))).toEqual([]);
  });
});
