import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProblemError } from "../platform/problems/problem.ts";
import { rfc3339 } from "../platform/time/time.ts";
import { decodeCursor, encodeCursor, escapeLike, page, parseLimit } from "./pagination.ts";

const SORT = "created_at:desc";
const text = fc.string().filter((value) => !value.includes("\0"));

function refused(act: () => unknown): ProblemError {
  try {
    act();
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("cursors", () => {
  it("come back exactly, whatever the value", () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.integer(), fc.constant(null)), text, (sortValue, id) => {
        fc.pre(encodeCursor(SORT, { sortValue, id }).length <= 2_000);
        expect(decodeCursor(SORT, encodeCursor(SORT, { sortValue, id }))).toEqual({ sortValue, id });
      }),
    );
  });

  it("are undefined for the first page", () => {
    expect(decodeCursor(SORT, undefined)).toBeUndefined();
  });

  const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  it.each([
    "",
    "x",
    "!!!",
    cursor([SORT, "a"]),
    cursor([SORT, {}, "id"]),
    cursor([SORT, "a", 7]),
    cursor([SORT, "a", "b\0"]),
    cursor([SORT, "a\0", "b"]),
    cursor(["id:asc", "a", "b"]),
    cursor({ sort: SORT }),
    `${cursor([SORT, "a", "b"])}=`,
    "A".repeat(2_001),
  ])("that are forged or of another sort are 422: %j", (forged) => {
    expect(refused(() => decodeCursor(SORT, forged))).toMatchObject({
      status: 422,
      code: "invalid_value",
      errors: [{ field: "cursor" }],
    });
  });

  it("are refused, never accepted as something else, after any change of one character", () => {
    const good = encodeCursor(SORT, { sortValue: "2026-11-28 00:43:37.123456+00", id: "7" });
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.constantFrom("A", "z", "-", "=", " ", "/"), (at, letter) => {
        const changed = good.slice(0, at) + letter + good.slice(at + 1);
        fc.pre(changed !== good);
        try {
          expect(decodeCursor(SORT, changed)).toEqual({ sortValue: expect.anything(), id: expect.any(String) });
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
      }),
    );
  });
});

describe("page", () => {
  const position = (row: number) => ({ sortValue: row, id: String(row) });
  it("has a next cursor only when a row beyond the limit was fetched", () => {
    expect(page([1, 2, 3], 2, SORT, position)).toEqual({
      items: [1, 2],
      next_cursor: encodeCursor(SORT, { sortValue: 2, id: "2" }),
    });
    expect(page([1, 2], 2, SORT, position)).toEqual({ items: [1, 2], next_cursor: null });
    expect(page([], 2, SORT, position)).toEqual({ items: [], next_cursor: null });
  });
});

describe("parseLimit", () => {
  it("is 50 when absent, and 1 to 200", () => {
    expect([undefined, "1", "200"].map(parseLimit)).toEqual([50, 1, 200]);
  });
  it.each(["", "0", "201", "-1", "1.5", "1e2", "ten", " 5"])("refuses %j with 422", (limit) => {
    expect(refused(() => parseLimit(limit))).toMatchObject({ status: 422, errors: [{ field: "limit" }] });
  });
});

describe("escapeLike", () => {
  it("leaves no wildcard and no stray escape", () => {
    expect(escapeLike("50%_\\x")).toBe("50\\%\\_\\\\x");
    fc.assert(fc.property(fc.string(), (value) => !/(?<!\\)(?:\\\\)*[%_]/.test(escapeLike(value))));
  });
});

describe("rfc3339", () => {
  it.each([
    ["2026-11-28 00:43:37.123456+00", "2026-11-28T00:43:37.123456Z"],
    ["2026-11-28 00:43:37+00", "2026-11-28T00:43:37Z"],
    ["2026-11-28 00:43:37.1+00:00", "2026-11-28T00:43:37.1Z"],
    [null, null],
  ])("turns %s into %s", (pg, expected) => {
    expect(rfc3339(pg)).toBe(expected);
  });
  it.each(["2026-11-28 00:43:37+01", "2026-11-28", "infinity", ""])("throws on %j", (pg) => {
    expect(() => rfc3339(pg)).toThrow(TypeError);
  });
});
