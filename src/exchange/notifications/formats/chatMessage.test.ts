import { describe, expect, it } from "vitest";
import { deployment, event } from "../../../../test/support/eventFacts.ts";
import { envelopeOf } from "../envelope.ts";
import type { EventFacts } from "../eventFacts.ts";
import { messageOf, SAMPLE } from "../message.ts";
import { chatMessage } from "./chatMessage.ts";

const context = { publicBaseUrl: "https://deploy.example" };

describe("chatMessage", () => {
  const say = (changes: Partial<EventFacts>) => {
    const facts = event(changes);
    return chatMessage(messageOf(facts, envelopeOf(facts, context))).text;
  };

  it("says what happened, where, what changes, who, and leads there", () => {
    expect(say({})).toBe(
      "*Plan waits for confirmation*: <https://deploy.example/orgs/o-1/stacks/net/deployments/d-1|Net>\n" +
        "plan, +2 ~2 -4, `01234567` Widen the network\nby ada",
    );
  });

  it("lets no text of others format, link or call anybody", () => {
    const said = say({
      deployment: deployment({ commit_message: "<!channel> <https://evil.example|ok> @here & more" }),
    });
    expect(said).toContain("&lt;!channel&gt; &lt;https://evil.example|ok&gt; @\u200bhere &amp; more");
  });

  it("says why it failed, and cuts what is long", () => {
    const said = say({ name: "deployment_failed", deployment: deployment({ error: "x".repeat(1_000) }) });
    expect(said).toContain("Deployment failed");
    expect(said).toContain(`${"x".repeat(299)}…`);
  });

  it("names the account of a machine, and nobody where nobody acted", () => {
    expect(say({ actor_id: "sa-1", actor_kind: "service_account" })).toContain("by service account sa-1");
    const ci = { actor_id: "sa-1", actor_kind: "service_account", account_name: "ci <main>" } as const;
    expect(say(ci)).toContain("by service account ci &lt;main&gt;");
    expect(say({ deployment: deployment({ created_by: null, created_by_kind: null }) })).not.toContain("by ");
  });

  it("tells a failed sync and changed findings without a stack", () => {
    const failed = say({
      name: "scm_sync_failed",
      stack: null,
      deployment: null,
      data: { repository_url: "https://git.example/r", base_branch: "main", attempt_count: 8, last_error: "no answer" },
    });
    expect(failed).toBe(
      "*Sync with the code host failed*\nhttps://git.example/r, branch main, given up after 8 tries\nno answer",
    );
    const data = { runner_group_id: "g", runner_group_name: "prod <eu>", address: "192.0.2.7" };
    expect(say({ name: "runner_group_new_address", stack: null, deployment: null, data })).toBe(
      "*Token of a runner group used from a new address*\nprod &lt;eu&gt;, from 192.0.2.7",
    );
    const current = { cycles: 1, orphans: 0, duplicates: 2, cycles_complete: true, orphans_complete: false };
    const found = say({ name: "explore_findings_changed", stack: null, deployment: null, data: { current } });
    expect(found).toContain("cycles 1, orphans unknown, duplicates 2");
  });
});

it("has no link that a text of others would make", () => {
  const { text } = chatMessage({ ...SAMPLE, reason: "[x](https://evil.example)" });
  expect(text).not.toContain("](");
});

it("has no heading, list, quotation or table that a text of others would make", () => {
  for (const reason of [
    "# big",
    "> said",
    "- a",
    "* a",
    "+ a",
    "1. a",
    "2) a",
    "| a | b",
    "[a]: https://evil.example",
  ]) {
    expect(chatMessage({ ...SAMPLE, reason }).text.split("\n")[1]).toMatch(/^\u200b/);
  }
  expect(chatMessage({ ...SAMPLE, reason: "no answer" }).text.split("\n")[1]).toBe("no answer");
});
