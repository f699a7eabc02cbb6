import { countedDeeds } from "../../../clients/plan/deeds.ts";
import type { Deployment } from "../data/types.ts";
import css from "./ChangeCounts.module.css";
import { planSummaryOf } from "./deploymentText.ts";

/** How much a plan changes. Three answers, never one: not known yet, nothing, or so much. */
export function ChangeCounts({ deployment }: { deployment: Pick<Deployment, "stages"> }) {
  const summary = planSummaryOf(deployment);
  if (summary === null) return null;
  if (summary.counts === null) {
    return <span className={css.none}>{summary.has_changes ? "changes, not counted" : "no changes"}</span>;
  }
  const changes = countedDeeds(summary.counts);
  if (changes.length === 0)
    return <span className={css.none}>{summary.has_changes ? "outputs only" : "no changes"}</span>;
  return (
    <span className={css.counts}>
      {changes.map(({ sign, word, count, tone }) => (
        <span key={word} className={css.count} data-tone={tone} title={`${count} to ${word}`}>
          <span aria-hidden>{sign}</span>
          {count}
          <span className="sr-only"> to {word}</span>
        </span>
      ))}
    </span>
  );
}
