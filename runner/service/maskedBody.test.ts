import { expect, test } from "vitest";
import { maskText } from "../output/masking.ts";
import { secretForms } from "../output/secretForms.ts";
import { maskedBody } from "./maskedBody.ts";
import type { Outcome } from "./outcome.ts";

const SECRET = "correct-horse-battery";
const mask = (text: string) => maskText(text, secretForms([SECRET]));

test("every text is masked first and cut then, one that nobody has thought of yet too; the status stays", () => {
  const outcome = {
    status: "success",
    exit_code: 2,
    error: `${"x".repeat(3_990)}${SECRET}`,
    plan_summary: {
      has_changes: true,
      counts: null,
      gaps: [`${"g".repeat(490)}${SECRET}`],
      warnings: [SECRET],
      later: { text: [SECRET] },
    },
    commit: { message: `${"m".repeat(3_990)}${SECRET}`, author: `${"a".repeat(290)}${SECRET}` },
  } as Outcome;
  const body = maskedBody(outcome, mask);
  expect(body).toEqual({
    status: "success",
    exit_code: 2,
    error: `${"x".repeat(3_990)}***`,
    plan_summary: {
      has_changes: true,
      counts: null,
      gaps: [`${"g".repeat(490)}***`],
      warnings: ["***"],
      later: { text: ["***"] },
    },
    commit: { message: `${"m".repeat(3_990)}***`, author: `${"a".repeat(290)}***` },
  });
  const long = maskedBody({ status: "failure", exit_code: null, error: "e".repeat(5_000) }, mask);
  expect(long.error).toHaveLength(4_000);
});
