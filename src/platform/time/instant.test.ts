import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { Instant } from "./instant.ts";

const MALFORMED = "must be an RFC 3339 time such as 2026-01-31T12:00:00Z; in an address a + is written %2B";

describe("a time that a person sends", () => {
  it.each([
    "2026-11-28T02:50:24Z",
    "2024-02-29T23:59:59.123456Z",
    "2026-11-28T02:50:24+05:30",
    "0001-01-01T00:00:00-15:59",
    "9999-12-31T23:59:59Z",
  ])("takes %j", (text) => expect(v.safeParse(Instant, text).success).toBe(true));

  it.each([
    ["0000-01-01T00:00:00Z", "is no time that exists"],
    ["0001-01-01T00:00:00+15:59", "is no time that exists"],
    ["9999-12-31T23:59:59-00:01", "is no time that exists"],
    ["2026-02-30T00:00:00Z", "is no time that exists"],
    ["2025-02-29T00:00:00Z", "is no time that exists"],
    ["2026-13-01T00:00:00Z", "is no time that exists"],
    ["2026-01-01T24:00:00Z", MALFORMED],
    ["2026-01-01T00:00:00+16:00", MALFORMED],
    ["2026-01-01T00:00:00.1234567Z", MALFORMED],
    ["2026-01-01", MALFORMED],
    ["infinity", MALFORMED],
    ["2026-01-01T00:00:00 02:00", MALFORMED],
  ])("refuses %j, for one reason", (text, message) =>
    expect(v.safeParse(Instant, text).issues?.map((issue) => issue.message)).toEqual([message]),
  );
});
