/** What a host's refusal means, and when it is asked again. */
import { expect, it } from "vitest";
import { octokitOver, transportOver } from "./transport.ts";

const answered = (status: number, headers: Record<string, string> = {}, data: object = {}) => {
  const body = Buffer.from(JSON.stringify(data));
  const egress = {
    request: async () => ({ status, headers: { "content-type": "application/json", ...headers }, body }),
  };
  return transportOver(octokitOver(egress, "https://git.example/api"))({ route: "POST /x", authorization: null });
};
const DATE = "Sun, 29 Nov 2026 10:00:00 GMT";
const at = (seconds: number) => String(Date.parse(DATE) / 1_000 + seconds);

it.each<[string, number, Record<string, string>, string, number | null]>([
  ["busy with another status of the commit", 409, {}, "rate_limited", 2_000],
  ["429 with a time", 429, { "retry-after": "7" }, "rate_limited", 7_000],
  ["429 without", 429, {}, "rate_limited", 60_000],
  [
    "GitLab's spent budget",
    429,
    { "ratelimit-remaining": "0", "ratelimit-reset": at(30), date: DATE },
    "rate_limited",
    30_000,
  ],
  [
    "GitHub's spent budget",
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": at(5), date: DATE },
    "rate_limited",
    5_000,
  ],
  ["a wait that nobody believes", 429, { "retry-after": "999999" }, "rate_limited", 7_200_000],
  ["a refusal", 403, {}, "refused", null],
  ["an error", 502, {}, "unavailable", null],
  ["a redirect", 301, { location: "https://evil.example/" }, "moved", null],
])("%s", async (_, status, headers, failure, retryAfterMs) => {
  await expect(answered(status, headers)).rejects.toMatchObject({ failure, retryAfterMs });
});
