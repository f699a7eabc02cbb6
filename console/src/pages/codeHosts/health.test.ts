import { expect, test } from "vitest";
import { healthOf } from "./health.ts";

test("a failure that is older than the last answer is over", () => {
  const word = (success: string | null, failure: string | null) =>
    healthOf({ last_success_at: success, last_failure: failure === null ? null : { at: failure, reason: "401" } }).word;
  expect(word(null, null)).toBe("Not asked yet");
  expect(word("2026-01-01T00:00:00Z", null)).toBe("Answers");
  expect(word("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")).toBe("Answers");
  expect(word("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")).toBe("Does not answer");
  expect(word(null, "2026-01-02T00:00:00Z")).toBe("Does not answer");
});
