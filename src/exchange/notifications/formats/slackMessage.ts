/**
 * A message in Slack's blocks. Every text of others is an element of rich text, which Slack shows as it stands: no
 * link, mention, emoji or format is looked for in it. Only `text`, which is what notices and screen readers get, is
 * read as markup, and so it is escaped. Pure.
 */
import type { Fact, Message } from "../message.ts";
import type { Tone } from "../titles.ts";
import { chatMessage } from "./chatMessage.ts";

type RichTextElement =
  | { type: "text"; text: string; style?: { bold?: true; code?: true } }
  | { type: "link"; url: string; text: string };
type RichTextBlock = {
  type: "rich_text";
  elements: { type: "rich_text_section"; elements: RichTextElement[] }[];
};
export type SlackMessage = { text: string; blocks: RichTextBlock[]; unfurl_links: false; unfurl_media: false };

const SIGNS: Record<Tone, string> = { good: "✓ ", bad: "✗ ", look: "● ", plain: "" };

export function slackMessage(message: Message): SlackMessage {
  const { tone, title, stack, link, facts, reason, by } = message;
  const head: RichTextElement[] = [bold(`${SIGNS[tone]}${title}`)];
  if (stack !== null) head.push(text(": "), link === null ? bold(stack) : { type: "link", url: link, text: stack });
  const named = [...facts, ...(reason === null ? [] : [{ name: "Reason", text: reason }])];
  const lines = [head, ...named.map(factLine), ...(by === null ? [] : [[text(`by ${by}`)]])];
  const elements = lines.flatMap((line, at) => (at === 0 ? line : [text("\n"), ...line]));
  return {
    text: chatMessage(message).text,
    blocks: [{ type: "rich_text", elements: [{ type: "rich_text_section", elements }] }],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function factLine({ name, code, text: said }: Fact): RichTextElement[] {
  const line: RichTextElement[] = [bold(`${name} `)];
  if (code !== undefined) line.push({ type: "text", text: code, style: { code: true } });
  if (said !== "") line.push(text(code === undefined ? said : ` ${said}`));
  return line;
}

const text = (said: string): RichTextElement => ({ type: "text", text: said });
const bold = (said: string): RichTextElement => ({ type: "text", text: said, style: { bold: true } });
