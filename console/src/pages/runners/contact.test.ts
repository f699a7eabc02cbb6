import { expect, test } from "vitest";
import { contactOf } from "./contact.ts";

test("a group is there, away, in trouble, or was never seen", () => {
  const now = Date.UTC(2026, 0, 1);
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const word = (last_contact_at: string | null, last_dispatch_error_at: string | null = null) =>
    contactOf({ last_contact_at, last_dispatch_error_at }, now).word;
  expect(word(null)).toBe("Never seen");
  expect(word(ago(5_000))).toBe("Connected");
  expect(word(ago(5_000), ago(60_000))).toBe("Has trouble");
  expect(word(ago(5_000), ago(7_200_000))).toBe("Connected");
  expect(word(ago(90_000), ago(60_000))).toBe("Away");
});
