import css from "./PlanTally.module.css";
import { type PlanSummary, talliesOf } from "./planState.ts";

/** What a plan comes to: signs, numbers and words, what destroys first. */
export function PlanTally({ summary, words = true }: { summary: PlanSummary | null; words?: boolean }) {
  if (summary === null || (summary.has_changes && summary.counts === null)) return <span>Could not be counted.</span>;
  if (!summary.has_changes) return <span>Nothing to do.</span>;
  const tallies = talliesOf(summary);
  if (tallies.length === 0) return <span>{words ? "Only outputs or actions." : "outputs"}</span>;
  return (
    <span className={css.tallies}>
      {tallies.map(({ name, sign, word, tone, count }) => (
        <span key={name} className={css.tally} data-tone={tone}>
          <span aria-hidden={words}>
            {sign}
            {count.toLocaleString("en")}
          </span>
          {words && (
            <span>
              <span className="sr-only">{count} to</span> {word}
            </span>
          )}
        </span>
      ))}
    </span>
  );
}
