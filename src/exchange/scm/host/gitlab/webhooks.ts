/** Webhooks of a project on GitLab. */
import type { RepositoryCalls } from "../client.ts";
import { findingOf, ifShown, type Webhook, type WebhookFinding } from "../webhooks.ts";

const WORDS = {
  push_events: "Push events",
  merge_requests_events: "Merge request events",
  pipeline_events: "Pipeline events",
} as const;

export function gitlabWebhook(calls: RepositoryCalls, path: string): Promise<WebhookFinding> {
  return ifShown("maintainers of the project", async () =>
    findingOf((await calls.list("/hooks", {})).items.map(webhookOf), path, Object.values(WORDS)),
  );
}

function webhookOf(item: unknown): Webhook {
  const hook = (item ?? {}) as Record<string, unknown>;
  const delivers = Object.entries(WORDS).flatMap(([name, word]) => (hook[name] === true ? [word] : []));
  // The host stops one that failed too often, for a while or for good.
  const isStopped = hook.alert_status === "disabled" || hook.alert_status === "temporarily_disabled";
  const stopped = isStopped
    ? "Enabled: the host has stopped it after failures, and a test there starts it again"
    : null;
  return { url: hook.url, delivers, stopped, branches: hook.push_events_branch_filter };
}
