/**
 * What deliveries have told of pull requests, held against the answer of the host that sent them: copies of a host lag
 * behind its own deliveries, and an answer that is older would be taken for the truth
 * (docs/rules/source-control.md#answers-that-are-older).
 */
import type { OpenPullRequest } from "../../core/pullRequests/host.ts";
import type { OpenEvent } from "./events.ts";
import { HostError } from "./host/errors.ts";
import type { RepositoryHost } from "./host/repositoryHost.ts";

/** By number: the head it was told to have, or that it was told to be closed. */
export type Told = ReadonlyMap<number, { head: string } | "closed">;

type Related = Pick<RepositoryHost, "relation">;
type Telling = Pick<OpenEvent, "kind" | "pr_number" | "after_sha" | "attempts">;

/**
 * Of each request the newest delivery that tells either; one that was held against an answer before counts no more.
 * Pure.
 */
export function lastTold(events: readonly Telling[]): Told {
  const told = new Map<number, { head: string } | "closed">();
  for (const { kind, pr_number: number, after_sha: head, attempts } of events) {
    if (number === null) continue;
    if (attempts > 0) told.delete(number);
    else if (kind === "pr_closed") told.set(number, "closed");
    else if (head !== null) told.set(number, { head });
  }
  return told;
}

/** @throws HostError once for each delivery whose head the answer does not hold, or whose request it still has */
export async function assertNotOlder(repository: Related, open: readonly OpenPullRequest[], told: Told): Promise<void> {
  const heads = new Map(open.map(({ number, headSha }) => [number, headSha]));
  for (const [number, last] of told) {
    const head = heads.get(number);
    if (last === "closed" ? head !== undefined : !(await holds(repository, head, last.head)))
      throw new HostError("behind");
  }
}

/** Whether the answer's head is the one that was told, or a later one. */
async function holds(repository: Related, head: string | undefined, told: string): Promise<boolean> {
  if (head === undefined || head === told) return head === told;
  const relation = await repository.relation(told, head);
  return relation === "ahead" || relation === "identical";
}
