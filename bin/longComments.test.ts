import { describe, expect, it } from "vitest";
import { longComments, WIDTH } from "./longComments.ts";

const filled = (start: string, width: number) => start + "x".repeat(width - start.length);

describe("longComments", () => {
  it.each(["// ", "    // ", "/** ", " * ", "   * @param "])(
    "finds a line over the width that begins with '%s'",
    (start) => {
      expect(longComments(`code();\n${filled(start, WIDTH + 1)}\n`)).toEqual([2]);
      expect(longComments(`code();\n${filled(start, WIDTH)}\n`)).toEqual([]);
    },
  );

  it("counts characters, not bytes", () => {
    expect(longComments(`// ${"é".repeat(WIDTH - 3)}`)).toEqual([]);
  });

  it("leaves code and texts of it alone", () => {
    expect(longComments(`${filled("const text = `", WIDTH + 1)}\``)).toEqual([]);
    expect(longComments(filled("      -- ", WIDTH + 1))).toEqual([]);
  });
});
