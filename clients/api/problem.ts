/** What the service refuses a call with, as an error that callers can tell apart by its code. */
import type { components } from "./schema.d.ts";

type Problem = components["schemas"]["Problem"];
export type ProblemCode = NonNullable<Problem["code"]>;
export type FieldError = NonNullable<Problem["errors"]>[number];

export class ApiError extends Error {
  override name = "ApiError";
  readonly status: number;
  readonly code: ProblemCode | undefined;
  readonly fields: readonly FieldError[];
  readonly requestId: string | undefined;
  /** When the service says how long to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail ?? problem.title);
    this.status = problem.status;
    this.code = problem.code;
    this.fields = problem.errors ?? [];
    this.requestId = problem.request_id;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The error of an answer that is none of success. A proxy in between may answer with something else than a problem. */
export async function errorOf(response: Response): Promise<ApiError> {
  const isProblem = (response.headers.get("content-type") ?? "").startsWith("application/problem+json");
  const problem = isProblem ? ((await response.json().catch(() => null)) as Problem | null) : null;
  const after = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new ApiError(
    problem ?? { type: "about:blank", title: response.statusText || "No answer", status: response.status },
    Number.isFinite(after) ? after : undefined,
  );
}
