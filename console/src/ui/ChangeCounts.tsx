import type { Deployment } from "../data/types.ts";
import css from "./ChangeCounts.module.css";
import { classes } from "./classes.ts";
import { changesOf, planSummaryOf } from "./deploymentText.ts";

/** How much a plan changes. Three answers, never one: not known yet, nothing, or so much. */
export function ChangeCounts({ deployment }: { deployment: Pick<Deployment, "stages"> }) {
  const summary = planSummaryOf(deployment);
  if (summary === null) return null;
  if (summary.counts === null) {
    return <span className={css.none}>{summary.has_changes ? "changes, not counted" : "no changes"}</span>;
  }
  const changes = changesOf(summary);
  if (changes.length === 0)
    return <span className={css.none}>{summary.has_changes ? "outputs only" : "no changes"}</span>;
  return (
    <span className={css.counts}>
      {changes.map(({ sign, word, count, kind }) => (
        <span key={word} className={classes(css.count, css[kind])} title={`${count} ${word}`}>
          <span aria-hidden>{sign}</span>
          {count}
          <span className="sr-only"> {word}</span>
        </span>
      ))}
    </span>
  );
}
