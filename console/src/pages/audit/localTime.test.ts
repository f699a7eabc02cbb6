import { expect, test } from "vitest";
import { fromLocal, toLocal } from "./localTime.ts";

test("instants come back from an input as they were, to the minute", () => {
  const instant = "2026-03-29T12:34:00.000Z";
  expect(fromLocal(toLocal(instant))).toBe(instant);
  expect([toLocal(undefined), toLocal("yesterday"), fromLocal("")]).toEqual(["", "", undefined]);
});
