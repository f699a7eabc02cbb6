/** From what was seen to figures and bars. Pure. */
import { atMost, type BenchResult, exactly, rounded } from "../harness/bench.ts";
import { percentile, summary } from "../harness/statistics.ts";
import { ASKED, nothing, type Seen } from "./quiet.ts";

const MOST_TO_ALONE = 1.5;

/** Rounds count together: what the machine had besides to do in one is in both sides of it. */
export function judge(alone: readonly Seen[], beside: readonly Seen[], answers: Record<string, number>): BenchResult {
  const [quiet, troubled] = [together(alone), together(beside)];
  const p99 = (of: number[]) => percentile(of, 0.99);
  const bars = ASKED.map((kind) => [
    `${kind}_p99_to_alone`,
    atMost(p99(troubled[kind]) / p99(quiet[kind]), MOST_TO_ALONE),
  ]);
  const refused = ASKED.reduce((sum, kind) => sum + troubled.refused[kind] + quiet.refused[kind], 0);
  return {
    figures: {
      alone: figuresOf(quiet),
      beside: figuresOf(troubled),
      push_processed_p99_to_alone: rounded(p99(troubled.processed) / p99(quiet.processed)),
      answers_to_the_troublesome: answers,
    },
    bars: { ...Object.fromEntries(bars), others_refused: exactly(refused, 0) },
  };
}

function figuresOf(seen: Seen) {
  const kinds = ASKED.map((kind) => [kind, { ...summary(seen[kind]), refused: seen.refused[kind] }]);
  return { ...Object.fromEntries(kinds), push_processed: summary(seen.processed) };
}

function together(rounds: readonly Seen[]): Seen {
  const all = nothing();
  for (const round of rounds) {
    all.processed.push(...round.processed);
    for (const kind of ASKED) {
      all[kind].push(...round[kind]);
      all.refused[kind] += round.refused[kind];
    }
  }
  return all;
}
