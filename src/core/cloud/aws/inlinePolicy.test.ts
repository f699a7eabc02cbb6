import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minifiedPolicy } from "./inlinePolicy.ts";

const allow = { Effect: "Allow", Action: "s3:GetObject", Resource: "*" };
const read = (document: unknown) => minifiedPolicy(typeof document === "string" ? document : JSON.stringify(document));
const wrong = (document: unknown) => {
  const result = read(document);
  return "wrong" in result ? result.wrong : null;
};

describe("an inline policy", () => {
  it.each([
    { Statement: allow },
    { Statement: [allow, { Effect: "Deny", NotAction: ["iam:*"] }] },
    { Version: "2012-10-17", Id: "x", Statement: [allow] },
  ])("may be %j", (document) => expect(read(document)).toEqual({ policy: JSON.stringify(document) }));

  it.each<[unknown, string]>([
    ["{", "is not JSON"],
    ["", "is not JSON"],
    ["[]", "must be a JSON object"],
    ["null", "must be a JSON object"],
    ['"Allow"', "must be a JSON object"],
    [{}, "non-empty Statement"],
    [{ Statement: [] }, "non-empty Statement"],
    [{ statement: [allow] }, "non-empty Statement"],
    [{ Statement: null }, "objects in its Statement"],
    [{ Statement: [allow, "deny"] }, "objects in its Statement"],
    [{ Statement: [[allow]] }, "objects in its Statement"],
    [{ Statement: { Action: "*" } }, "the Effect Allow or Deny"],
    [{ Statement: { ...allow, Effect: "allow" } }, "the Effect Allow or Deny"],
    [{ Statement: { Effect: "Deny" } }, "an Action or NotAction"],
    [{ Statement: { Effect: "Deny", Action: [] } }, "an Action or NotAction"],
    [{ Statement: { Effect: "Deny", Action: "" } }, "an Action or NotAction"],
    [{ Statement: { Effect: "Deny", Action: ["s3:*", 7] } }, "an Action or NotAction"],
    [{ Statement: { Effect: "Deny", Action: "s3:*", NotAction: null } }, "an Action or NotAction"],
    [{ Statement: { ...allow, Sid: "Ω" } }, "characters that a policy may not have"],
  ])("may not be %j", (document, message) => expect(wrong(document)).toContain(message));

  it("is measured minified, to the character", () => {
    const frame = JSON.stringify({ Statement: allow, Id: "" }).length;
    const of = (length: number) => JSON.stringify({ Statement: allow, Id: "a".repeat(length - frame) }, null, 8);
    expect(wrong(of(2_048))).toBeNull();
    expect(wrong(of(2_049))).toBe("may have at most 2048 characters when minified");
  });

  it("says the same minified as it did before, and stays so", () => {
    const statement = fc.record({
      Effect: fc.constantFrom("Allow", "Deny"),
      Action: fc.oneof(fc.constant("s3:*"), fc.constant(["s3:*", "iam:PassRole"])),
      Condition: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^[ -~]{0,10}$/)),
    });
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), fc.nat(4), (Statement, indent) => {
        const document = { Version: "2012-10-17", Statement };
        const result = read(JSON.stringify(document, null, indent));
        if (!("policy" in result)) throw new Error(result.wrong);
        expect(JSON.parse(result.policy)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(read(result.policy)).toEqual(result);
      }),
    );
  });
});
