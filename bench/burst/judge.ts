/** From what was seen to figures and bars. Pure. */
import { atMost, type Bar, exactly, type Figures, rounded } from "../harness/bench.ts";
import { percentile, summary } from "../harness/statistics.ts";
import type { Answers } from "./busy.ts";
import type { Late } from "./deadlines.ts";
import type { Answered } from "./neighbour.ts";
import type { Observed } from "./observe.ts";

/** What one burst was, and what others saw beside it. */
export type Beside = {
  name: string;
  observed: Observed;
  /** From its first request until nothing of it was left. */
  seconds: number;
  answers: Answers;
  took: number[];
  /** The longest line of messages in Postgres, and the longest wait of a task in Temporal, that were seen. */
  mostMessages: number;
  oldestTaskMs: number;
};

/**
 * @param alone what was seen before each burst, together; @param atOnce how late the leases of the fresh worker were
 */
export function judge(
  alone: Observed[],
  beside: Beside[],
  atOnce: number[],
): { figures: Figures; bars: Record<string, Bar> } {
  const confirms = alone.flatMap((observed) => observed.confirms);
  const late: Late = {
    lease: alone.flatMap((observed) => observed.late.lease),
    queued: alone.flatMap((observed) => observed.late.queued),
  };
  const bars = beside.map((burst) => barsOf(burst, confirms));
  const unavailable = beside.reduce((sum, { observed }) => sum + count503(observed.confirms), count503(confirms));
  return {
    figures: {
      alone: seen({ confirms, late }),
      beside: Object.fromEntries(beside.map((burst) => [burst.name, figuresOf(burst, confirms)])),
      leases_at_once_on_a_fresh_worker_late_ms: summary(atOnce),
    },
    bars: {
      ...Object.assign({}, ...bars),
      leases_at_once_late_p99_ms: atMost(percentile(atOnce, 0.99), 1_000),
      answers_503: exactly(unavailable, 0),
    },
  };
}

function barsOf(burst: Beside, alone: Answered[]): Record<string, Bar> {
  const { name, observed, answers } = burst;
  const to = toAlone(observed.confirms, alone);
  return {
    [`${name}_confirm_p50_to_alone`]: atMost(to.p50, 1.5),
    [`${name}_confirm_p99_to_alone`]: atMost(to.p99, 1.5),
    [`${name}_lease_late_p99_ms`]: atMost(percentile(observed.late.lease, 0.99), 1_000),
    [`${name}_queued_late_p99_ms`]: atMost(percentile(observed.late.queued, 0.99), 1_000),
    [`${name}_own_answers_503`]: exactly(answers[503] ?? 0, 0),
  };
}

function figuresOf(burst: Beside, alone: Answered[]): Figures {
  return {
    ...seen(burst.observed),
    confirm_to_alone: toAlone(burst.observed.confirms, alone),
    burst: {
      seconds: rounded(burst.seconds),
      answers: { ...burst.answers },
      request_ms: burst.took.length === 0 ? null : summary(burst.took),
      most_messages_in_postgres: burst.mostMessages,
      oldest_task_in_temporal_ms: rounded(burst.oldestTaskMs),
    },
  };
}

function seen({ confirms, late }: Observed): Figures {
  return {
    confirm_ms: summary(confirms.map(({ ms }) => ms)),
    confirms_503: count503(confirms),
    confirms_otherwise_refused: confirms.filter(({ status }) => status !== 200 && status !== 503).length,
    lease_late_ms: summary(late.lease),
    queued_late_ms: summary(late.queued),
  };
}

function toAlone(confirms: Answered[], alone: Answered[]): { p50: number; p99: number } {
  const at = (share: number) =>
    rounded(
      percentile(
        confirms.map(({ ms }) => ms),
        share,
      ) /
        percentile(
          alone.map(({ ms }) => ms),
          share,
        ),
    );
  return { p50: at(0.5), p99: at(0.99) };
}

const count503 = (confirms: Answered[]) => confirms.filter(({ status }) => status === 503).length;
