/**
 * The task that computes an organization's findings anew: cycles, orphans, duplicates, in that order, page by page
 * (docs/rules/graph.md#resources-and-findings).
 */
import { randomUUID } from "node:crypto";
import type { FindingsReport } from "../../exchange/notifications/findings.ts";
import { requestTask } from "../../work/tasks/requestTask.ts";
import { type Graph, graphOf } from "../dependencies/graph.ts";
import { cyclesOf } from "../dependencies/graphCycles.ts";
import type { Deadline, KindOfWork, SliceResult, TaskDeps } from "../tasks/kinds.ts";
import { duplicatesAfter } from "./duplicates.ts";
import { type Finding, findingKey, MAX_STACKS, removeOtherRounds, storeFindings } from "./findingRows.ts";
import { reportFindings } from "./findingsReport.ts";
import { currentInstallation, isIndexedIn } from "./installation.ts";
import { type EdgePlace, orphansAfter } from "./orphans.ts";

type Round = { id: string; installation: string; report: FindingsReport } & (
  | { stage: "orphans"; after: EdgePlace | null }
  | { stage: "duplicates"; after: string | null }
);

export const orgFindingsRebuild: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, cursor }, deadline) {
    const installation = await currentInstallation(deps.explore);
    if (!(await isIndexedIn(deps.service.db, orgId, installation))) {
      // Findings of half an index would be told and taken back.
      await requestTask(deps, orgId, "resource_index_rebuild");
      return { done: true };
    }
    const stored = cursor as Round | null;
    const begun = stored?.installation === installation ? stored : await begin(deps, orgId, installation);
    return goOn(deps, orgId, begun, deadline);
  },
};

/** A graph over its budget says nothing, neither of cycles nor of where its edges lead. */
async function begin({ service, explore, budgets }: TaskDeps, orgId: string, installation: string): Promise<Round> {
  const graph = await graphOf(service.db, orgId, budgets);
  const known = graph.exceeded === null;
  const id = randomUUID();
  const cycles = known ? cycleFindings(graph) : [];
  await storeFindings(explore, orgId, id, cycles);
  const report = { cycles: cycles.length, orphans: 0, duplicates: 0, cycles_complete: known, orphans_complete: known };
  return known
    ? { id, installation, report, stage: "orphans", after: null }
    : { id, installation, report, stage: "duplicates", after: null };
}

function cycleFindings(graph: Graph): Finding[] {
  return cyclesOf(graph, MAX_STACKS).map(({ size, members }) => ({
    kind: "cycle",
    // Members come in order, so a cycle that others join keeps its id as long as its first stack.
    key: findingKey("cycle", members[0]!),
    stackKeys: members,
    stackCount: size,
    details: {},
  }));
}

async function goOn(deps: TaskDeps, orgId: string, begun: Round, deadline: Deadline): Promise<SliceResult> {
  for (let round: Round | null = begun; round !== null; ) {
    const next: Round | FindingsReport =
      round.stage === "orphans" ? await nextOrphans(deps, orgId, round) : await nextDuplicates(deps, orgId, round);
    if (!("stage" in next)) {
      await removeOtherRounds(deps.explore, orgId, round.id);
      await reportFindings(deps.service, orgId, next);
      break;
    }
    // After a page, so that every slice makes some way.
    if (deadline.passed()) return { done: false, cursor: next };
    round = next;
    await deadline.keep(round);
  }
  return { done: true };
}

async function nextOrphans(
  { service, explore }: TaskDeps,
  orgId: string,
  round: Extract<Round, { stage: "orphans" }>,
): Promise<Round> {
  const { orphans, complete, next } = await orphansAfter({ main: service.db, explore }, orgId, round.after);
  await storeFindings(explore, orgId, round.id, orphans);
  const report = {
    ...round.report,
    orphans: round.report.orphans + orphans.length,
    orphans_complete: round.report.orphans_complete && complete,
  };
  const { id, installation } = round;
  return next === null
    ? { id, installation, report, stage: "duplicates", after: null }
    : { id, installation, report, stage: "orphans", after: next };
}

/** The report after the last page. */
async function nextDuplicates(
  { explore }: TaskDeps,
  orgId: string,
  round: Extract<Round, { stage: "duplicates" }>,
): Promise<Round | FindingsReport> {
  const { duplicates, next } = await duplicatesAfter(explore, orgId, round.after);
  await storeFindings(explore, orgId, round.id, duplicates);
  const report = { ...round.report, duplicates: round.report.duplicates + duplicates.length };
  return next === null ? report : { ...round, report, after: next };
}
