/** The neighborhood of a stack as nodes and edges. Pure: what may be shown was decided before. */
import * as v from "valibot";
import type { StackRow } from "../../core/stacks/schema.ts";
import { Id, Labels, Time } from "../../http/answerFields.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { BUDGET_NAMES } from "../analysis/budgets.ts";
import { TRIGGERS } from "../analysis/trigger.ts";
import type { Graph } from "./graph.ts";
import { inCycle, onCycle } from "./graphCycles.ts";
import type { AnalysisState, NeighborEdge, Neighborhood, OtherStack } from "./neighborhood.ts";

const about = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.metadata({ description }));
const flag = v.nullable(v.boolean());

const DependencyNode = v.object({
  key: about(v.string(), "What edges refer to; stands for nothing outside this answer"),
  kind: v.picklist(["stack", "resource"]),
  id: about(v.nullable(v.string()), "A stack's id, or the address of a resource or output; null when restricted"),
  stack: about(v.nullable(v.string()), "Id of the stack it is or belongs to; null when restricted"),
  restricted: about(v.boolean(), "Missing, or not for you to read"),
  missing: about(
    v.boolean(),
    "There is no stack of this id; said to those who may read every stack of the organization",
  ),
  in_cycle: about(flag, "Whether its stack lies on a cycle; null: unknown or restricted"),
  name: about(v.nullable(v.string()), "Of a stack"),
  labels: about(v.nullable(Labels), "Of a stack"),
  latest_deployment_status: about(v.nullable(v.string()), "Of a stack"),
});

const DependencyEdge = v.object({
  dependent: about(v.string(), "Key of the node that depends"),
  dependency: about(v.string(), "Key of the node it depends on"),
  trigger: v.picklist(TRIGGERS),
  provenance: v.picklist(["declared", "inferred", "both"]),
  on_cycle: about(flag, "Whether it is part of a cycle; null: unknown or restricted"),
  declared_at: about(v.nullable(v.object({ file: v.string(), line: v.nullable(v.number()) })), "Where it is declared"),
});

const known = v.picklist(["never", "known", "unknown"]);
const Analysis = v.object({
  run_id: v.nullable(Id),
  declared: about(known, "unknown: the newest run's analysis did not say; the edges are as they were before"),
  resources: known,
  problem: v.nullable(v.string()),
  comment_errors: about(
    v.array(v.string()),
    "Comments of that run's configuration that were ignored, as `file:line: message`; at most 50",
  ),
  comment_errors_count: about(v.number(), "How many were ignored"),
  inferred_truncated: about(v.boolean(), "More edges could be inferred than are kept"),
  reconciled_at: about(v.nullable(Time), "null: the edges are not those of that run yet"),
});

export const Dependencies = v.pipe(
  v.object({
    nodes: v.array(DependencyNode),
    edges: v.array(DependencyEdge),
    total_edges: v.number(),
    truncated: about(v.boolean(), "Some edges were left out"),
    exceeded_budget: about(v.nullable(v.picklist(Object.values(BUDGET_NAMES))), "Why cycle flags are unknown"),
    analysis: about(v.nullable(Analysis), "What the edges of this stack come from"),
  }),
  v.metadata({ ref: "Dependencies" }),
);
type Answer = v.InferInput<typeof Dependencies>;
type Node = Answer["nodes"][number];

/** @param graph of the organization; with a neighborhood beyond its budget, cycles are not judged either */
export function dependenciesAnswer(stack: StackRow, found: Neighborhood, graph: Graph): Answer {
  const exceeded = found.exceeded ? BUDGET_NAMES.maxNeighborhoodEdges : graph.exceeded;
  const cycles = { ...graph, exceeded };
  const nodes = new Nodes(cycles);
  const own: OtherStack = stack;
  nodes.stack(own);
  const edges = found.edges.map((edge): Answer["edges"][number] => {
    const ownKey = nodes.end(own, edge.direction === "dependency" ? edge.dependentAddress : edge.dependencyAddress);
    const otherAddress = edge.direction === "dependency" ? edge.dependencyAddress : edge.dependentAddress;
    const otherKey = edge.other === null ? nodes.absent(edge) : nodes.end(edge.other, otherAddress);
    const [dependent, dependency] = edge.direction === "dependency" ? [ownKey, otherKey] : [otherKey, ownKey];
    return {
      dependent,
      dependency,
      trigger: edge.trigger,
      provenance: provenance(edge),
      on_cycle: edge.other === null ? null : onCycle(cycles, stack.stackKey, edge.other.stackKey),
      declared_at: edge.declared && edge.file !== null ? { file: edge.file, line: edge.line } : null,
    };
  });
  return {
    nodes: [...nodes.all.values()],
    edges,
    total_edges: found.total,
    truncated: found.exceeded || edges.length < found.total,
    exceeded_budget: exceeded,
    analysis: found.state && analysisAnswer(found.state),
  };
}

function provenance({ declared, inferred }: NeighborEdge): "declared" | "inferred" | "both" {
  if (declared && inferred) return "both";
  return declared ? "declared" : "inferred";
}

function analysisAnswer(state: AnalysisState): NonNullable<Answer["analysis"]> {
  return {
    run_id: state.runId,
    declared: state.declared,
    resources: state.resources,
    problem: state.problem,
    comment_errors: state.commentErrors,
    comment_errors_count: state.commentErrorsCount,
    inferred_truncated: state.inferredTruncated,
    reconciled_at: rfc3339(state.reconciledAt),
  };
}

/** Each stack and each resource once, in the order in which edges name them. */
class Nodes {
  readonly all = new Map<string, Node>();
  readonly #hidden = new Map<string, string>();
  readonly #graph: Graph;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  stack(stack: OtherStack): string {
    return this.#add({
      ...this.#of("stack", stack, stack.slug, `stack:${stack.slug}`),
      name: stack.name,
      labels: stack.labels,
      latest_deployment_status: stack.latestDeploymentStatus,
    });
  }

  /** A resource's stack is a node too: it carries the name and labels. */
  end(stack: OtherStack, address: string | null): string {
    const whole = this.stack(stack);
    if (address === null) return whole;
    return this.#add(this.#of("resource", stack, address, `resource:${stack.slug}:${address}`));
  }

  /** One that there is not, for whoever may know; else hidden, as one that the caller may not read. */
  absent({ place, missing }: NeighborEdge): string {
    if (missing === null) return this.#hide(place);
    const nothing = { in_cycle: null, name: null, labels: null, latest_deployment_status: null };
    const named = { key: `missing:${missing}`, kind: "stack", id: missing, stack: missing } as const;
    return this.#add({ ...named, restricted: false, missing: true, ...nothing });
  }

  /** Numbered as they come: nothing of the stack is in the key. */
  #hide(place: string): string {
    const key = this.#hidden.get(place) ?? `restricted:${this.#hidden.size + 1}`;
    this.#hidden.set(place, key);
    const nothing = { id: null, stack: null, in_cycle: null, name: null, labels: null, latest_deployment_status: null };
    return this.#add({ key, kind: "stack", restricted: true, missing: false, ...nothing });
  }

  #of(kind: Node["kind"], stack: OtherStack, id: string, key: string): Node {
    const inCycleNow = inCycle(this.#graph, stack.stackKey);
    const unsaid = { name: null, labels: null, latest_deployment_status: null };
    return { key, kind, id, stack: stack.slug, restricted: false, missing: false, in_cycle: inCycleNow, ...unsaid };
  }

  #add(node: Node): string {
    if (!this.all.has(node.key)) this.all.set(node.key, node);
    return node.key;
  }
}
