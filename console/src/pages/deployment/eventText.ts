/** The activity log's kinds as sentences. Pure. */

const TEXTS = new Map([
  ["created", "Created"],
  ["confirmed_apply", "Confirmed the plan"],
  ["confirmed_replan", "Asked for another plan"],
  ["confirmed_skip", "Skipped at the plan"],
  ["confirmed_preview", "Started the preview"],
  ["approved", "Approved the plan"],
  ["rejected", "Rejected the plan"],
  ["skipped", "Skipped"],
  ["cancellation_requested", "Asked to cancel"],
  ["prioritized", "Put first in the queue"],
  ["deprioritized", "Took the priority back"],
  ["policy_evaluation_requested", "Had the policies look once more"],
  ["policy_denied", "Policies deny the plan"],
  ["policy_overridden", "Overrode the policies"],
  ["auto_applied", "Applied by policy"],
  ["auto_approve_suppressed", "The policy did not apply it by itself"],
]);

/** A kind that is not known is shown as it is. */
export function eventText(kind: string): string {
  return TEXTS.get(kind) ?? kind.replaceAll("_", " ");
}

export function detailsText(details: Record<string, unknown>): [string, string][] {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [name.replaceAll("_", " "), textOf(value)]);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
