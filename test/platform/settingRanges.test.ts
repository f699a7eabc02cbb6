/** What a setting says it takes, it takes: both ends of each range, and nothing beyond them. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { RUNNER_SETTINGS } from "../../runner/config/config.ts";
import { SETTINGS } from "../../src/main/config/settings.ts";
import type { Setting } from "../../src/platform/settings/setting.ts";

type Tree = { [key: string]: Setting<unknown> | Tree };
const leaves = (tree: Tree): Setting<unknown>[] =>
  Object.values(tree).flatMap((entry) => ("schema" in entry ? [entry as Setting<unknown>] : leaves(entry as Tree)));

/** By what the setting itself says of a text that is none. */
function rangeOf({ schema }: Setting<unknown>): { ends: string[]; beyond: string[] } | null {
  const said = v.safeParse(schema, "no such value").issues?.[0].message ?? "";
  const numbers = /a whole number from (\d+) to (\d+)/.exec(said);
  if (numbers) {
    const [low, high] = [Number(numbers[1]), Number(numbers[2])];
    return { ends: [String(low), String(high)], beyond: [String(low - 1), String(high + 1)] };
  }
  const seconds = /duration from ([\d.]+) s to ([\d.]+) s/.exec(said);
  if (!seconds) return null;
  const [low, high] = [Number(seconds[1]), Number(seconds[2])];
  return { ends: [`PT${low}S`, `PT${high}S`], beyond: [`PT${high + 1}S`] };
}

const all = [...leaves(SETTINGS), ...leaves(RUNNER_SETTINGS)];
const ranged = all.flatMap((setting) => {
  const range = rangeOf(setting);
  return range === null ? [] : [{ name: setting.name, setting, range }];
});

describe.each(ranged)("$name", ({ setting, range }) => {
  it.each(range.ends)("takes %s", (end) => expect(v.safeParse(setting.schema, end).success).toBe(true));
  it.each(range.beyond)("refuses %s", (text) => expect(v.safeParse(setting.schema, text).success).toBe(false));
});

it("every default and example is taken", () => {
  const shown = all.filter(({ secret }) => !secret);
  const refused = shown.filter(({ fallback, example, schema }) =>
    [fallback, example].some((text) => typeof text === "string" && text !== "" && !v.safeParse(schema, text).success),
  );
  expect(refused.map(({ name }) => name)).toEqual([]);
  expect(ranged.length).toBeGreaterThan(20);
});
