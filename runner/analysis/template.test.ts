import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MalformedComment } from "./directive.ts";
import { type CurrentStack, parseTemplate } from "./template.ts";

const stack: CurrentStack = {
  id: "web-prod",
  name: "Web Prod",
  labels: { env: "prod", "team-name": "Edge", blank: "" },
};
const render = (text: string) => parseTemplate(text)(stack);

describe("templates", () => {
  test.each([
    ["net", "net"],
    ["net-{{ .stack.Labels.env }}", "net-prod"],
    ["{{.stack.ID}}.{{.stack.ID}}", "web-prod.web-prod"],
    ['{{ .stack.Name | lower | replace " " "-" }}', "web-prod"],
    ["{{ lower .stack.Labels.team-name }}", "edge"],
    ['{{ trimPrefix "web-" .stack.ID | upper }}', "PROD"],
    ['{{ .stack.ID | trimSuffix "-prod" }}', "web"],
    ['{{ upper (trimPrefix "web-" (lower .stack.ID)) }}', "PROD"],
    ["{{ .stack.Labels.nowhere | default `net` }}", "net"],
    ['{{ .stack.Labels.blank | default "net" }}', "net"],
    ['{{ .stack.Labels.nowhere | lower | default "net" }}', "net"],
    ['{{ "a}}b" | trimSuffix "}}b" }}', "a"],
    ['{{ "$&" | replace "$" "$&$&" | replace "$&$&&" "x" }}', "x"],
    ['{{ trim " net " }}', "net"],
    ['{{ "a\\"b" | replace "\\"" "" }}', "ab"],
  ])("%s gives %s", (text, expected) => expect(render(text)).toBe(expected));

  test.each([
    ["{{ .stack.Labels.nowhere }}", "the stack lacks a label"],
    ["{{ .stack.Labels.blank }}", "empty text"],
    ["{{ .stack.Labels. }}", "is none of"],
    ["{{ .stack.constructor }}", "is none of"],
    ["{{ .stack.Labels.constructor }}", "the stack lacks a label"],
    ["{{ constructor .stack.ID }}", "no function"],
    ['{{ env "HOME" }}', "no function"],
    ["{{ lower }}", "lower takes 1 texts"],
    ["{{ .stack.ID | .stack.Name }}", "only a function"],
    ["{{ .stack.ID .stack.Name }}", "unexpected"],
    ["{{ .stack.ID", "not closed"],
    ["{{", "not closed"],
    ["{{}}", "unexpected"],
    ["{{ (.stack.ID }}", "unexpected"],
    ["{{ 1 }}", "unexpected"],
    ['{{ .stack.ID | replace "" "x" }}', "a text to look for"],
    [`{{ "${"a".repeat(200)}" | replace "a" "aaa" }}`, "more than 512"],
    [`{{ "a" ${'| replace "a" "aaaaaaaa"'.repeat(20)} }}`, "too long"],
  ])("%s is refused", (text, message) => {
    expect(() => render(text)).toThrow(MalformedComment);
    expect(() => render(text)).toThrow(message);
  });

  test("no text makes anything but a short string or a refusal", () => {
    const pieces = fc.constantFrom(
      ...'{{~}}~|~(~)~.stack.ID~.stack.Labels.env~.stack.Labels.x~lower~default~replace~trim~"a"~`b`~"~`~ ~x~.~\\'.split(
        "~",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 3 })), { maxLength: 40 }), (parts) => {
        try {
          const text = render(parts.join(""));
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(512);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedComment);
        }
      }),
      { numRuns: 3_000 },
    );
  });
});
