/** The limits of runs, in milliseconds, as the SQL deadline functions take them. */
export type Timeouts = {
  /** How long a claimed run may stay unaccepted. */
  assignmentMs: number;
  /** Claims of one run before it ends `startup_timeout`. */
  maxAssignmentAttempts: number;
  /** How long a run may wait for a runner, counted from `first_pending_at`. */
  startupDeadlineMs: number;
  /** How long a running run may stay silent. */
  executionMs: number;
  /** How long a runner may stay silent after a cancel was requested. */
  cancellationMs: number;
  /** Longest run of a stack that sets no `max_run_duration` of its own. */
  maxRunDurationMs: number;
};
