import { expect, test } from "vitest";
import { variableText } from "./variableText.ts";

/** In one text it would be taken for a template. */
const D = "$";

test.each([
  ["a text is given as it is", `"vpc-1 ${D}{x} %{y}\\n"`, `vpc-1 ${D}{x} %{y}\n`],
  ["digits stay", "123456789012345678901234567890.5", "123456789012345678901234567890.5"],
  ["digits stay inside", '{"a":[0.10000000000000000001,1e3]}', '{"a":[0.10000000000000000001,1e3]}'],
  ["a flag", "true", "true"],
  ["no text inside is a template", `["${D}{x}","%{y}"]`, '["\\u0024{x}","\\u0025{y}"]'],
  ["nor a name", `{"${D}{k}":1}`, '{"\\u0024{k}":1}'],
  ["escapes that the engine does not know", '["\\b\\f\\n\\\\b"]', '["\\u0008\\u000c\\n\\\\b"]'],
  ["null is none", "null", null],
  ["a NUL fits into no variable", '"a\\u0000b"', null],
])("%s", (_what, json, text) => {
  expect(variableText(json)).toBe(text);
});
