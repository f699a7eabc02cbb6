/**
 * The examples of docs/dependencies.md, read out of the page and carried out: what it says happens is what is decided.
 */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { CommentScanner } from "../../runner/analysis/commentScanner.ts";
import { changedParts } from "../../src/graph/analysis/changedParts.ts";
import {
  type Applied,
  type CascadeEdge,
  type DependentDecision,
  decideDependent,
  waitsForPerson,
} from "../../src/graph/cascade/decideDependent.ts";

const page = await readFile(new URL("../../docs/dependencies.md", import.meta.url), "utf8");
const example = page.slice(page.indexOf("## An example"), page.indexOf("## Declaring a dependency"));

function scanned(id: string, text: string): CommentScanner {
  const scanner = new CommentScanner({ id, name: "Web Prod", labels: { env: "prod" } });
  const file = scanner.file("main.tf");
  for (const line of text.split("\n")) file.line(line);
  file.end();
  return scanner;
}

/** The comments in the picture of the four stacks, by whose file they stand in. */
function pictured(stack: string, from: string): CascadeEdge {
  const comment = example.split("\n").find((line) => line.includes(`# svc:dependency: from_stack=${from}`)) ?? "";
  const text = comment.slice(comment.indexOf("#")).split(/ {3,}/)[0] ?? "";
  const { edges, errors } = scanned(stack, text);
  expect([errors, edges.length]).toEqual([[], 1]);
  const { from_resource: dependencyAddress, resource: dependentAddress, trigger } = edges[0]!;
  return {
    dependencyAddress,
    dependentAddress,
    trigger,
    declared: true,
    inferred: false,
    onCycle: false,
    overBudget: false,
  };
}

const READS_STATE: CascadeEdge = {
  dependencyAddress: "terraform.state",
  dependentAddress: null,
  trigger: "manual",
  declared: false,
  inferred: true,
  onCycle: false,
  overBudget: false,
};
/** `app` declares above the block by which it reads the state; `reports` only reads it. */
const OF_NETWORK = { app: [pictured("app", "network"), READS_STATE], reports: [READS_STATE] };

function applied(stackKey: string, ...outputs: string[]): Applied {
  return { stackKey, mode: "plan", changed: changedParts({ resources: ["terraform.state"], outputs }), path: [] };
}

/** As a row of the page shows it. */
function row(name: string, { trigger, evidence, skippedReason, triggeringResources }: DependentDecision): RegExp {
  const changed = [...new Set(triggeringResources.map(({ parent }) => parent ?? "the whole stack"))];
  const outcome = skippedReason === null ? "deployment" : `skipped_reason ${skippedReason}`;
  const shown = changed.find((part) => part.startsWith("output.")) ?? changed[0] ?? "";
  return new RegExp(`${name} +${trigger} +${evidence} +${shown.replace(".", "\\.")} +-> ${outcome}`);
}

describe("the example", () => {
  test.each(Object.entries(OF_NETWORK))("after vpc_id changed: the row of %s", (name, edges) => {
    expect(example).toMatch(row(name, decideDependent(applied("network", "vpc_id"), name, edges)));
  });

  test("after zone_id changed nobody is deployed, and app is not_affected, as the page says", () => {
    expect(example).toContain("Changing only `zone_id` would have deployed nobody");
    expect(example).toContain("its row would say `not_affected`");
    const [app, reports] = Object.entries(OF_NETWORK).map(([name, edges]) =>
      decideDependent(applied("network", "zone_id"), name, edges),
    );
    expect(app).toMatchObject({ skippedReason: "not_affected", triggeringResources: [] });
    expect(waitsForPerson(app!)).toBe(false);
    expect(reports?.skippedReason).toBe("manual_trigger");
  });

  test("web follows the apply of app, whatever changed in it", () => {
    const decision = decideDependent(applied("app"), "web", [pictured("web", "app")]);
    expect(decision).toMatchObject({ trigger: "always", skippedReason: null });
  });
});

test("every comment that the page shows as code is understood", () => {
  const blocks = [...page.matchAll(/```hcl\n(.*?)```/gs)].map(([, text]) => text ?? "");
  const comments = blocks
    .join("\n")
    .split("\n")
    .filter((line) => line.startsWith("# svc:"));
  expect(comments.length).toBeGreaterThan(2);
  for (const comment of comments) {
    const { edges, errors } = scanned("app-prod", comment);
    expect([comment, errors, edges.length]).toEqual([comment, [], 1]);
  }
});
