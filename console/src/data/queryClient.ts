/** What has been read of the service, kept for as long as the page is open. */
import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "../../../clients/api/problem.ts";

/** Live hints tell of changes; this is for what they do not cover, and for the time in which none arrive. */
const FRESH_MS = 30_000;
const RETRIES = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      retryDelay: (attempt, error) => waitBefore(attempt, error),
    },
    mutations: {
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      retryDelay: (attempt, error) => waitBefore(attempt, error),
    },
  },
});

/** Whether the same call may succeed a moment later. A network that is away is waited for by the library itself. */
function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.status >= 502 || error.status === 429;
}

function waitBefore(attempt: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  return asked === undefined ? Math.min(500 * 2 ** attempt, 8_000) : asked * 1_000;
}
