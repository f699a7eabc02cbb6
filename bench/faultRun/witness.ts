/**
 * What the outside world saw of a fault run, apart from the database: the answers people and runners got, and who was
 * at work on which stack. The audit compares it with the rows at the end.
 */

export type Overlap = { stack: string; first: string; second: string };

export class Witness {
  /** Deployments whose creation was answered, by commit. */
  readonly created = new Map<string, string>();
  /** Deployments whose confirmation was answered 200. */
  readonly confirmed = new Set<string>();
  /** Deployments that were planned anew once: the next plan is confirmed. */
  readonly replanned = new Set<string>();
  readonly skipped = new Set<string>();
  readonly cancelled = new Set<string>();
  /** Questions that were asked twice with one key and answered in two ways. */
  readonly twoAnswers: string[] = [];
  asked = 0;
  askedTwice = 0;
  /** What each run's runner reported and the service took (204). */
  readonly reported = new Map<string, string>();
  /** Apply runs that were handed out with their context, by the plan they apply. */
  readonly applies = new Map<string, string[]>();
  readonly overlaps: Overlap[] = [];
  /** Answers nobody should get: 5xx other than a service that is away, and conflicts without a reason. */
  readonly oddities: string[] = [];
  /** The run at work on each stack. */
  readonly #working = new Map<string, string>();

  /** A runner got the context of a run: from now until `stop` its engine may change the stack. */
  start(stack: string, runId: string, planRunId: string | null): void {
    const other = this.#working.get(stack);
    if (other !== undefined) this.overlaps.push({ stack, first: other, second: runId });
    this.#working.set(stack, runId);
    if (planRunId !== null) this.applies.set(planRunId, [...(this.applies.get(planRunId) ?? []), runId]);
  }

  /** Its engine has ended, before anyone is told so. */
  stop(stack: string, runId: string): void {
    if (this.#working.get(stack) === runId) this.#working.delete(stack);
  }
}
