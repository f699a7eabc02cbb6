import { describe, expect, it } from "vitest";
import type { GraphEdge, GraphStack } from "../../data/graph.ts";
import { chooseDrawn, neighboursOf } from "./chosen.ts";

const stack = (id: string): GraphStack => ({ id, name: id, latest_deployment_status: null, in_cycle: false });
const edge = (dependent: string, dependency: string): GraphEdge => ({
  ...{ dependent, dependency },
  ...{ trigger: "always", declared: true, inferred: false },
});
const ids = (stacks: readonly GraphStack[]) => stacks.map(({ id }) => id);

const STACKS = ["a", "b", "c", "d", "lonely"].map(stack);
const EDGES = [edge("b", "a"), edge("c", "b"), edge("d", "c")];

describe("which stacks are drawn", () => {
  it("all that have an edge, in the order they came in", () => {
    expect(ids(chooseDrawn(STACKS, EDGES).stacks)).toEqual(["a", "b", "c", "d"]);
  });

  it("around a stack the nearest ones, in both directions, with the edges between them", () => {
    const { stacks, edges } = chooseDrawn(STACKS, EDGES, "c", 3);
    expect(ids(stacks)).toEqual(["b", "c", "d"]);
    expect(edges).toEqual([EDGES[1], EDGES[2]]);
  });

  it("a stack that was asked for stands alone where nothing touches it", () => {
    expect(ids(chooseDrawn(STACKS, EDGES, "lonely").stacks)).toEqual(["lonely"]);
  });

  it("one that is not there changes nothing", () => {
    expect(ids(chooseDrawn(STACKS, EDGES, "gone").stacks)).toEqual(["a", "b", "c", "d"]);
  });

  it("a cycle ends, and never more than the most are drawn", () => {
    const many = Array.from({ length: 1_000 }, (_, i) => stack(`s${i}`));
    const ring = many.map(({ id }, i) => edge(id, `s${(i + 1) % many.length}`));
    expect(chooseDrawn(many, ring).stacks).toHaveLength(300);
    expect(chooseDrawn(many, ring, "s500", 5).stacks.map(({ id }) => id)).toEqual([
      "s498",
      "s499",
      "s500",
      "s501",
      "s502",
    ]);
  });
});

describe("what a stack has to do with", () => {
  it("both directions", () => {
    expect(neighboursOf(EDGES)("b")).toEqual({ dependencies: ["a"], dependents: ["c"] });
    expect(neighboursOf(EDGES)("lonely")).toEqual({ dependencies: [], dependents: [] });
  });
});
