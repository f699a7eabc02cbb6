/** Webhooks of a repository on Gitea. */
import type { RepositoryCalls } from "../client.ts";
import { findingOf, ifShown, type Webhook, type WebhookFinding } from "../webhooks.ts";

/** By the names of its API, the words beside the boxes. */
const WORDS: Readonly<Record<string, string>> = {
  push: "Push",
  pull_request: "Pull Request",
  pull_request_sync: "Pull Request Synchronized",
  // By the word of the box, or one by one by those who call the API.
  pull_request_review: "Pull Request Reviewed",
  pull_request_review_approved: "Pull Request Reviewed",
  pull_request_review_rejected: "Pull Request Reviewed",
  status: "Statuses",
};
const WANTED = [...new Set(Object.values(WORDS))];

export function giteaWebhook(calls: RepositoryCalls, path: string): Promise<WebhookFinding> {
  return ifShown("administrators of the repository", async () =>
    findingOf((await calls.list("/hooks", {})).items.map(webhookOf), path, WANTED),
  );
}

function webhookOf(item: unknown): Webhook {
  const { config, events, active, branch_filter: branches } = (item ?? {}) as Record<string, unknown>;
  const { url } = (config ?? {}) as { url?: unknown };
  const names = Array.isArray(events) ? events.map(String) : [];
  const delivers = names.flatMap((name) => (Object.hasOwn(WORDS, name) ? [WORDS[name] ?? ""] : []));
  return { url, delivers, stopped: active === false ? "Active" : null, branches };
}
