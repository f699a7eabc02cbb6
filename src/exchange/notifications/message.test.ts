import { describe, expect, it } from "vitest";
import { deployment, event, SUMMARY } from "../../../test/support/eventFacts.ts";
import { NOTIFIED_EVENTS } from "../../work/eventNames.ts";
import { envelopeOf } from "./envelope.ts";
import type { EventFacts } from "./eventFacts.ts";
import { messageOf } from "./message.ts";

const say = (changes: Partial<EventFacts>, publicBaseUrl: string | undefined = "https://deploy.example") => {
  const facts = event(changes);
  return messageOf(facts, envelopeOf(facts, { publicBaseUrl }));
};
const fact = (changes: Partial<EventFacts>, name: string) => say(changes).facts.find((one) => one.name === name)?.text;

describe("messageOf", () => {
  it("has the title, the stack, the numbers, who, and the link", () => {
    expect(say({})).toEqual({
      tone: "look",
      title: "Plan waits for confirmation",
      stack: "Net",
      link: "https://deploy.example/orgs/o-1/stacks/net/deployments/d-1",
      facts: [
        { name: "Mode", text: "plan" },
        { name: "Plan", text: "2 to add, 2 to change, 4 to destroy, 1 of them by replacing", phrase: "+2 ~2 -4" },
        { name: "Commit", code: "01234567", text: "Widen the network" },
      ],
      reason: null,
      by: "ada",
    });
  });

  it.each(["\u2800", "\u3164\u3164", "\u115f \u115f"])("calls a stack by its id whose name %j is not seen", (name) => {
    expect(say({ data: { stack_name: name } }).stack).toBe("net");
  });

  it("says of a plan what else it does and that it was not measured whole, and nothing of one that was not measured", () => {
    const counts = { ...SUMMARY.counts, replace: 0, import: 2, move: 3, forget: 4 };
    expect(fact({ deployment: deployment({ plan_summary: { ...SUMMARY, counts, gaps: ["x"] } }) }, "Plan")).toBe(
      "1 to add, 2 to change, 3 to destroy, 2 to import, 3 to move, 4 to forget, not measured whole",
    );
    const unmeasured = { ...SUMMARY, counts: null };
    expect(fact({ deployment: deployment({ plan_summary: unmeasured }) }, "Plan")).toBeUndefined();
    expect(fact({ name: "deployment_created" }, "Plan")).toBeUndefined();
  });

  it.each([
    ["deployment_failed", deployment({ error: "no state" }), {}, "no state"],
    ["run_failed_to_start", deployment({ error: "no runner" }), {}, "no runner"],
    ["drift_check_failed", deployment({ error: "no access" }), {}, "no access"],
    [
      "deployment_auto_skipped",
      deployment({ skipped_reason: "confirmation_timeout" }),
      {},
      "nobody confirmed it in time",
    ],
    ["dependent_trigger_failed", deployment(), { trigger_error: "its branch is gone" }, "its branch is gone"],
    ["scm_sync_failed", null, { last_error: "no answer" }, "no answer"],
    ["schedule_missed", null, { reason: "held", error: null }, "the stack is on hold"],
    ["schedule_missed", null, { reason: "overtaken", error: "no answer" }, "its next time came first: no answer"],
    ["schedule_missed", null, { reason: null, error: "no such branch" }, "no such branch"],
    ["stack_expiring", null, { reason: "for the demo" }, "for the demo"],
    ["stack_expiry_failed", null, { error: "not empty" }, "not empty"],
    ["deployment_succeeded", deployment({ error: "of an earlier try" }), {}, null],
  ] as const)("has the reason of %s", (name, of, data, reason) => {
    expect(say({ name, deployment: of, data }).reason).toBe(reason);
  });

  it("takes out of texts of others what breaks a line, is not seen, or turns round what is seen", () => {
    const hostile = "a\u0000b\u202ec\r\nBcc: x@y.example\u200b\u2028d";
    const message = say({ stack: { key: "k", slug: "net", name: hostile, labels: {} } });
    expect(message.stack).toBe("a bc Bcc: x@y.example d");
    const failed = say({ name: "deployment_failed", deployment: deployment({ error: `\ud800${"😀".repeat(400)}` }) });
    expect(failed.reason).toHaveLength(300);
    expect(failed.reason?.isWellFormed()).toBe(true);
  });

  it.each(NOTIFIED_EVENTS)("has a title and no empty fact: %s", (name) => {
    const { title, facts } = say({ name, data: {} });
    expect(title).not.toBe("");
    for (const { text, code } of facts) expect(text + (code ?? "")).not.toBe("");
  });

  it("leads nowhere where the service does not know its address", () => {
    const facts = event();
    expect(messageOf(facts, envelopeOf(facts, { publicBaseUrl: undefined })).link).toBeNull();
  });
});
