/** Webhooks of a repository on GitHub, and those of an app, which are the app's own for all its repositories. */
import type { RepositoryCalls } from "./client.ts";
import { findingOf, ifShown, type Webhook, type WebhookFinding } from "./webhooks.ts";

const WORDS: Readonly<Record<string, string>> = {
  push: "Pushes",
  pull_request: "Pull requests",
  pull_request_review: "Pull request reviews",
  check_suite: "Check suites",
};
const WANTED = Object.values(WORDS);

/** @param asApp a call that the app makes for itself; null where the integration is none */
export function githubWebhook(
  calls: RepositoryCalls,
  asApp: ((path: string) => Promise<unknown>) | null,
  path: string,
): Promise<WebhookFinding> {
  if (asApp === null) {
    return ifShown("administrators of the repository, and to tokens that may read them", async () =>
      findingOf((await calls.list("/hooks", {})).items.map(webhookOf), path, WANTED),
    );
  }
  return ifShown("the app itself", async () => {
    const { events } = (await asApp("/app")) as { events?: unknown };
    const { url } = (await asApp("/app/hook/config")) as { url?: unknown };
    const finding = findingOf([{ url, delivers: wordsOf(events), stopped: null }], path, WANTED);
    return finding.state === "absent" ? { ...finding, reason: "the app's webhook leads elsewhere" } : finding;
  });
}

function webhookOf(item: unknown): Webhook {
  const { config, events, active } = (item ?? {}) as Record<string, unknown>;
  const { url } = (config ?? {}) as { url?: unknown };
  return { url, delivers: wordsOf(events), stopped: active === false ? "Active" : null };
}

function wordsOf(events: unknown): string[] {
  const names: unknown[] = Array.isArray(events) ? events : [];
  if (names.includes("*")) return WANTED;
  return names.flatMap((name) => (typeof name === "string" && Object.hasOwn(WORDS, name) ? [WORDS[name] ?? ""] : []));
}
