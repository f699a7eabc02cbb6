/**
 * A message as an adaptive card for the workflow "When a Teams webhook request is received". Every text of others is a
 * run of rich text, in which no markdown is looked for; text blocks and fact sets would read it as such. Pure.
 */
import type { Fact, Message } from "../message.ts";
import type { Tone } from "../titles.ts";

type TextRun = {
  type: "TextRun";
  text: string;
  weight?: "Bolder";
  fontType?: "Monospace";
  color?: "Good" | "Attention" | "Warning" | "Default";
};
type RichTextBlock = { type: "RichTextBlock"; inlines: TextRun[]; spacing?: "Small" };
type Card = {
  $schema: string;
  type: "AdaptiveCard";
  version: "1.4";
  msteams: { width: "Full" };
  fallbackText: string;
  body: RichTextBlock[];
  actions: { type: "Action.OpenUrl"; title: string; url: string }[];
};
export type TeamsMessage = {
  type: "message";
  attachments: { contentType: "application/vnd.microsoft.card.adaptive"; contentUrl: null; content: Card }[];
};

const COLORS: Record<Tone, NonNullable<TextRun["color"]>> = {
  good: "Good",
  bad: "Attention",
  look: "Warning",
  plain: "Default",
};

export function teamsMessage({ tone, title, stack, link, facts, reason, by }: Message): TeamsMessage {
  const named = [...facts, ...(reason === null ? [] : [{ name: "Reason", text: reason }])];
  const lines = [...named.map(factLine), ...(by === null ? [] : [[run(`by ${by}`)]])];
  const head = [{ ...bold(title), color: COLORS[tone] }, ...(stack === null ? [] : [run(": "), bold(stack)])];
  const content: Card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    msteams: { width: "Full" },
    fallbackText: title,
    body: [
      { type: "RichTextBlock", inlines: head },
      ...lines.map((inlines) => ({ type: "RichTextBlock", inlines, spacing: "Small" }) as const),
    ],
    actions: link === null ? [] : [{ type: "Action.OpenUrl", title: "Open", url: link }],
  };
  const contentType = "application/vnd.microsoft.card.adaptive";
  return { type: "message", attachments: [{ contentType, contentUrl: null, content }] };
}

function factLine({ name, code, text }: Fact): TextRun[] {
  const line = [bold(`${name} `)];
  if (code !== undefined) line.push({ ...run(code), fontType: "Monospace" });
  if (text !== "") line.push(run(code === undefined ? text : ` ${text}`));
  return line;
}

const run = (text: string): TextRun => ({ type: "TextRun", text });
const bold = (text: string): TextRun => ({ ...run(text), weight: "Bolder" });
