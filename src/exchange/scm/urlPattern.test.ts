import { describe, expect, it } from "vitest";
import { compilePattern, firstMatch } from "./urlPattern.ts";

const of = (...patterns: string[]) => patterns.map((urlPattern, id) => ({ id, urlPattern }));

describe("firstMatch", () => {
  it("takes the first in order that matches anywhere in the URL", () => {
    const all = of("^https://git\\.example/acme/", "acme", ".*");
    expect(firstMatch(all, "https://git.example/acme/infra")?.id).toBe(0);
    expect(firstMatch(all, "ssh://git@git.example/acme/infra.git")?.id).toBe(1);
    expect(firstMatch(all, "https://other.example/x/y")?.id).toBe(2);
  });

  it("skips what is no expression, and knows no integration for what nothing matches", () => {
    expect(firstMatch(of("(", "(?=x)x", "y"), "https://h.example/x/y")?.id).toBe(2);
    expect(firstMatch(of("("), "https://h.example/x/y")).toBeNull();
    expect(firstMatch([], "https://h.example/x/y")).toBeNull();
  });
});

describe("compilePattern", () => {
  it.each(["(", "[", "a{2,1}", "(?=a)b", "(a)\\1", "(?<!a)b", "*"])("refuses %s", (pattern) => {
    expect(compilePattern(pattern)).toBeNull();
  });

  it.each(["^(a+)+$", "(a|aa)+$", "(.*)*x", "((a{50}){20})"])("%s takes linear time", (pattern) => {
    const expression = compilePattern(pattern);
    const time = (length: number) => {
      const text = `${"a".repeat(length)}!`;
      const started = performance.now();
      expression?.matcher(text).find();
      return performance.now() - started;
    };
    time(5_000);
    const [short, long] = [time(25_000), time(100_000)];
    // Four times the text; a backtracking engine would not end within the age of the universe.
    expect(long).toBeLessThan(Math.max(short * 20, 2_000));
  });
});
