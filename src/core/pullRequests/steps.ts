/**
 * What an answer of the host asks of every stack that it has to do with. Pure: what is stored and the answer in, steps
 * out.
 */
import type { OpenPullRequest } from "./host.ts";
import { isIdle, planSteps, type Steps } from "./plan.ts";
import type { Facts, StoredRequest } from "./projection.ts";

/** The open requests of a branch by the host's word, and the rows before and after it was written down. */
export type Answer = {
  open: readonly OpenPullRequest[];
  before: readonly StoredRequest[];
  written: readonly StoredRequest[];
  closed: readonly StoredRequest[];
};

export type RequestSteps = Steps & {
  request: StoredRequest;
  stackKey: string;
  /** The host says something else about approval, merging or checks, and the stack cares. */
  news: boolean;
};

/** The steps of every (request, stack) that has any, by stack. */
export function stepsFor({ open, before, written, closed }: Answer, facts: Facts): RequestSteps[] {
  const steps: RequestSteps[] = [];
  const add = (request: StoredRequest, stackKey: string, planned: Steps, news: boolean) => {
    if (!isIdle(planned) || news) steps.push({ request, stackKey, ...planned, news });
  };
  const filesOf = new Map(open.map(({ number, files }) => [number, files]));
  const rowBefore = new Map(before.map((row) => [row.id, row]));
  for (const request of written) {
    const files = filesOf.get(request.number) ?? { paths: [], complete: false };
    const news = conditionsDiffer(request, rowBefore.get(request.id));
    for (const stackKey of stacksOf(request, facts, facts.stacks.keys())) {
      const stack = facts.stacks.get(stackKey) ?? null;
      const linked = facts.links.get(request.id)?.has(stackKey) ?? false;
      const previews = facts.previews.get(request.id)?.get(stackKey) ?? [];
      const planned = planSteps({ ...request, files }, stack, linked, previews);
      const wants = Object.keys(stack?.pr_requirements ?? {}).length > 0;
      add(request, stackKey, planned, news && wants && planned.link === "keep");
    }
  }
  for (const request of closed) {
    for (const stackKey of stacksOf(request, facts, [])) {
      const linked = facts.links.get(request.id)?.has(stackKey) ?? false;
      add(request, stackKey, planSteps(null, null, linked, facts.previews.get(request.id)?.get(stackKey) ?? []), false);
    }
  }
  return steps.sort((a, b) => (a.stackKey < b.stackKey ? -1 : a.stackKey > b.stackKey ? 1 : 0));
}

/** The stacks a request has anything to do with: linked, with a preview, or of its branch. */
function stacksOf(request: StoredRequest, facts: Facts, ofBranch: Iterable<string>): Set<string> {
  const withPreview = facts.previews.get(request.id)?.keys() ?? [];
  return new Set([...ofBranch, ...(facts.links.get(request.id) ?? []), ...withPreview]);
}

/** What is shown of them, reasons too. */
const CONDITIONS = ["approved", "approved_reason", "mergeable", "checks_passed", "checks_reason"] as const;

function conditionsDiffer(after: StoredRequest, before: StoredRequest | undefined): boolean {
  if (before === undefined) return false;
  return CONDITIONS.some((name) => after[name] !== before[name]);
}
