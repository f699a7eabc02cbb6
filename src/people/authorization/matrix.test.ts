import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Action,
  assertPair,
  InvalidPermissionError,
  isGrantable,
  type ResourceType,
  takesGroup,
  takesPattern,
} from "./matrix.ts";

/** Every type with every action, or the types do not agree; and how a grant may single resources of it out. */
type Rules = { [T in ResourceType]: { actions: Record<Action<T>, true>; by?: "name" | "name or group" } };

const crud = { read: true, create: true, update: true, delete: true } as const;
const RULES: Rules = {
  org: { actions: { read: true, update: true, delete: true } },
  member: { actions: { read: true, create: true, delete: true } },
  role: { actions: { ...crud, assign: true } },
  service_account: { actions: crud },
  identity_source: { actions: { read: true, manage: true } },
  stack: {
    actions: {
      ...crud,
      deploy: true,
      confirm: true,
      review: true,
      break_glass: true,
      preview: true,
      prioritize: true,
      run_command: true,
      local_deploy: true,
      read_state: true,
      write_state: true,
      read_outputs: true,
    },
    by: "name or group",
  },
  stack_authz_group: { actions: { assign: true }, by: "name" },
  cloud_integration: { actions: { read: true, update: true, delete: true }, by: "name or group" },
  label: { actions: { read: true, create: true, update: true }, by: "name" },
  context: { actions: crud },
  drift_schedule: { actions: crud },
  policy: { actions: { ...crud, override: true } },
  approval_rule: { actions: crud },
  runner_group: { actions: crud, by: "name" },
  runner: { actions: { read: true, delete: true }, by: "name" },
  scm_integration: { actions: crud },
  notification_integration: { actions: crud },
};

const ROWS = Object.entries(RULES).map(([type, { actions, by }]) => ({ type, actions: Object.keys(actions), by }));
const ACTIONS = [...new Set(ROWS.flatMap(({ actions }) => actions))];
const isPair = (type: string, action: string) => ROWS.some((row) => row.type === type && row.actions.includes(action));
const checks = (type: string, action: string) => {
  try {
    assertPair(type, action);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidPermissionError);
    return false;
  }
};

describe.each(ROWS)("$type", ({ type, actions, by }) => {
  it("is checked for its own actions and no others", () => {
    expect(ACTIONS.filter((action) => checks(type, action)).sort()).toEqual([...actions].sort());
    expect([checks(type, "*"), checks("*", actions[0] as string)]).toEqual([false, false]);
  });

  it("is granted by its own actions, or all of them", () => {
    expect(ACTIONS.filter((action) => isGrantable(type, action)).sort()).toEqual([...actions].sort());
    expect([isGrantable(type, "*"), isGrantable(type, "nonsense")]).toEqual([true, false]);
  });

  it(`is singled out by ${by ?? "nothing"}`, () => {
    expect([takesPattern(type), takesGroup(type)]).toEqual([by !== undefined, by === "name or group"]);
  });
});

describe("a grant on every type", () => {
  it("may name any action that some type has", () =>
    expect([...ACTIONS, "*", "nonsense"].filter((action) => !isGrantable("*", action))).toEqual(["nonsense"]));

  it("may be limited by a name, never by a group, which most types know nothing of", () =>
    expect([takesPattern("*"), takesGroup("*")]).toEqual([true, false]));
});

it("what is no pair of the table is neither checked nor granted, whatever it is called", () => {
  const odd = fc.constantFrom("", "__proto__", "constructor", "toString", "hasOwnProperty", "Stack", "stack ");
  const word = fc.oneof(fc.string(), odd, fc.constantFrom(...Object.keys(RULES), ...ACTIONS));
  fc.assert(
    fc.property(word, word, (type, action) => {
      expect(checks(type, action)).toBe(isPair(type, action));
      if (action !== "*" && type !== "*") expect(isGrantable(type, action)).toBe(isPair(type, action));
    }),
  );
});
