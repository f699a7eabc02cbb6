/** Compiled policies in their thread: what they say, and what becomes of those that take too much. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BUNDLE, endless, greedy, networked, odd, REGO } from "../../../../test/support/policyFixtures.ts";
import type { PlanChange } from "../../runs/planChange.ts";
import { policyOf } from "../bundle.ts";
import type { InputFacts } from "../input.ts";
import { evaluate } from "./evaluate.ts";
import type { Evaluable } from "./jobs.ts";

const COUNTS = { add: 0, change: 0, destroy: 1, replace: 0, import: 0, forget: 0, move: 0 };
const FACTS = {
  time: "2026-11-30T10:00:00Z",
  org: { id: "o", name: "o" },
  pull_request: null,
  plan: { has_changes: true, counts: COUNTS, gaps: [], run_id: "r", targets: [], excludes: [], replaces: [] },
} as unknown as InputFacts;

const change = (type: string, action: PlanChange["action"], at = 0): PlanChange => ({
  kind: "resource",
  address: `${type}.x[${at}]`,
  type,
  provider: "p",
  action,
  actions: [],
  before: null,
  after: null,
});

async function said(
  policies: readonly Evaluable[],
  changes: readonly PlanChange[],
  limits?: Parameters<typeof evaluate>[1],
) {
  const lines = Buffer.from(changes.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return (await evaluate({ facts: FACTS, changes: lines, policies }, limits)).map((result) => result.said);
}

describe("the example of the manual", () => {
  it("is what the manual has", () => {
    const manual = readFileSync(new URL("../../../../docs/policies.md", import.meta.url), "utf8");
    const [, text = ""] = /```rego\n(.*?)```/s.exec(manual) ?? [];
    expect(REGO).toContain(text);
  });

  it("denies, warns and asks for approvals", async () => {
    const policy = await policyOf(BUNDLE);
    const many = Array.from({ length: 11 }, (_, at) => change("vm", "destroy", at));
    expect(await said([policy], [change("aws_db_instance", "destroy"), ...many])).toEqual([
      {
        deny: ["aws_db_instance.x[0] holds data and would be lost (destroy)."],
        warn: ["Nobody reviewed it: it comes from no pull request."],
        approvals: [{ count: 2, from: ["role:platform"], reason: "It destroys more than ten resources." }],
        error: null,
        until: null,
      },
    ]);
    expect(await said([policy], [change("vm", "add")])).toMatchObject([{ deny: [], approvals: [], error: null }]);
  });
});

describe("a policy that takes too much", () => {
  const rules: Evaluable = { rules: { protected_types: [], max_destroys: 0, windows: null, attention: [] } };

  it("is ended, and those after it are evaluated", async () => {
    const [never, after] = await said([await policyOf(endless()), rules], [change("vm", "destroy")], {
      policyMs: 300,
      totalMs: 30_000,
    });
    expect(never).toMatchObject({ deny: [], error: "It took longer than a policy may." });
    expect(after).toMatchObject({ deny: [expect.stringContaining("1 resources")], error: null });
  });

  it("gets no text made that the thread has no room for, which would end the whole process", async () => {
    const { wasm, entrypoint } = await policyOf(BUNDLE);
    const format = "%s holds data and would be lost (%s).";
    const at = wasm.indexOf(format);
    wasm.write("%-299999999s".padEnd(format.length), at);
    const [wide, after] = await said([{ wasm, entrypoint }, rules], [change("aws_db_instance", "destroy")]);
    expect(wide).toMatchObject({ deny: [], error: "It needs more memory than a policy may have." });
    expect(after).toMatchObject({ error: null });
  });

  it("gets no more memory than a policy may have", async () => {
    const [big, after] = await said([await policyOf(greedy()), rules], [change("vm", "destroy")], {
      policyMs: 5_000,
      totalMs: 30_000,
    });
    expect(big?.error).toMatch(/memory|error of its own|longer/);
    expect(after?.error).toBeNull();
  });

  it("leaves the rest without an answer once all of the time is over", async () => {
    const results = await said([await policyOf(endless()), rules], [], { policyMs: 300, totalMs: 1 });
    expect(results.map(({ error }) => error)).toEqual([
      "It took longer than a policy may.",
      "The policies before it took all the time there is.",
    ]);
  });
});

it("has an answer of the form that is asked for, or none", async () => {
  expect(await said([await policyOf(odd())], [])).toMatchObject([
    { deny: [], error: "Its answer is not of the form {deny, warn, approvals}." },
  ]);
});

describe("an upload", () => {
  const refusal = (bundle: Buffer) =>
    policyOf(bundle).then(
      () => null,
      (error: { errors: { message: string }[] }) => error.errors[0]?.message,
    );

  it("names the builtin that a policy cannot have", async () => {
    expect(await refusal(networked())).toBe("uses what a policy cannot have here: http.send");
  });

  it("is a bundle with a compiled policy", async () => {
    expect(await refusal(Buffer.from("nothing"))).toContain("is not a gzipped tar file");
    expect(
      await refusal(readFileSync(new URL("../../../../test/support/policies/empty.tar.gz", import.meta.url))),
    ).toContain("holds no policy.wasm");
  });
});
