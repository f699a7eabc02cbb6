import { expect, test } from "vitest";
import { statePlaceOf, stateWarningsOf } from "./stateFacts.ts";

const BACKEND = "The configuration names a backend, so the state that the service keeps for this stack is not used.";
const newest = { is_newest: true };

test.each([
  ["own", newest, [], "elsewhere"],
  ["auto", newest, [], "here"],
  ["auto", newest, [BACKEND], "elsewhere"],
  ["auto", null, [], "open"],
  ["auto", undefined, [], "open"],
  ["auto", { is_newest: false }, [], "open"],
  ["hosted", newest, [BACKEND], "here"],
  ["hosted", undefined, [], "here"],
  ["hosted", null, [], "open"],
] as const)("%s, with %j and %j, is %s", (mode, last, warnings, kind) => {
  expect(statePlaceOf({ mode, ...(last !== undefined && { last }), warnings }).kind).toBe(kind);
});

test("of a plan's warnings those that speak of the state are told, of the newest plan alone", () => {
  const planned = (...warnings: string[]) => ({ run: { plan_summary: { warnings } } });
  const stages = [planned("The state is old."), planned(BACKEND, "No target fits."), { run: null }];
  expect(stateWarningsOf({ stages } as never)).toEqual([BACKEND]);
  expect(stateWarningsOf({ stages: [] })).toEqual([]);
});
