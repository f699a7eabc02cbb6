import fc from "fast-check";
import { expect, test } from "vitest";
import { combineTriggers, resolveTrigger, TRIGGERS } from "./trigger.ts";

const trigger = fc.constantFrom(...TRIGGERS);

test("manual weighs more than never, never more than always", () => {
  expect(combineTriggers("manual", "never")).toBe("manual");
  expect(combineTriggers("never", "always")).toBe("never");
  expect(combineTriggers("always", "manual")).toBe("manual");
});

test("combination is commutative, associative and idempotent", () => {
  fc.assert(
    fc.property(trigger, trigger, trigger, (a, b, c) => {
      expect(combineTriggers(a, b)).toBe(combineTriggers(b, a));
      expect(combineTriggers(combineTriggers(a, b), c)).toBe(combineTriggers(a, combineTriggers(b, c)));
      expect(combineTriggers(a, a)).toBe(a);
    }),
  );
});

test("edges resolve alike in any order and however often each is repeated", () => {
  const edge = fc.record({ trigger, declared: fc.boolean() });
  fc.assert(
    fc.property(
      fc
        .array(edge, { minLength: 1, maxLength: 8 })
        .chain((edges) =>
          fc.tuple(fc.constant(edges), fc.shuffledSubarray([...edges, ...edges], { minLength: edges.length * 2 })),
        ),
      ([edges, shuffled]) => {
        expect(resolveTrigger(shuffled)).toBe(resolveTrigger(edges));
      },
    ),
  );
});

test("an inferred edge adds nothing to what is declared, and alone is manual", () => {
  expect(resolveTrigger([])).toBeNull();
  expect(resolveTrigger([{ trigger: "manual", declared: false }])).toBe("manual");
  expect(
    resolveTrigger([
      { trigger: "always", declared: true },
      { trigger: "manual", declared: false },
    ]),
  ).toBe("always");
});
