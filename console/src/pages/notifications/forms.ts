/** In which forms people are told, as the console says it. Pure. */
import type { NotificationIntegration } from "../../data/types.ts";

export type Form = NotificationIntegration["provider_type"];

export const FORMS: Readonly<Record<Form, { label: string; short: string }>> = {
  slack: { label: "a message in Slack", short: "Slack" },
  teams: { label: "a card in Microsoft Teams", short: "Teams" },
  email: { label: "an e-mail", short: "e-mail" },
  chat: { label: "a message to another chat", short: "chat" },
  webhook: { label: "JSON to a program", short: "webhook" },
};

export const FORM_NAMES = Object.keys(FORMS) as Form[];

/** What a test send tells: of mail servers 4xx is for now and 5xx for good, of others it is the other way round. */
export function testResult(form: Form, result: string): string {
  const mail = form === "email";
  const words: Record<string, string> = {
    "2xx": "The sample arrived.",
    "3xx": "It was sent elsewhere (3xx), which is not followed.",
    "4xx": mail ? "The mail server put it off (4xx)." : "The target refused it (4xx).",
    "5xx": mail ? "The mail server refused it (5xx)." : "The target failed (5xx).",
    no_answer: mail ? "The mail server did not answer." : "The target did not answer.",
  };
  return words[result] ?? result;
}
