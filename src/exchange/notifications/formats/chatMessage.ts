/** A message as a line or two in a chat that takes Slack's old form of text. Pure. */
import type { Fact, Message } from "../message.ts";

/**
 * What Slack and servers compatible with it take at an incoming webhook. A preview of our own link would say nothing.
 */
export type ChatMessage = { text: string; unfurl_links: false };

export function chatMessage(message: Message): ChatMessage {
  const { title, facts, reason, by } = message;
  const lines = [
    `*${title}*${stackOf(message)}`,
    inText(facts.map(phrase).join(", ")),
    inText(escaped(reason ?? "")),
    by === null ? "" : `by ${escaped(by)}`,
  ];
  return { text: lines.filter((line) => line !== "").join("\n"), unfurl_links: false };
}

/** What begins a line makes it a heading, a list, a quotation, a table or a link's address in some. */
function inText(line: string): string {
  return line.replace(/^(?=[#>&|+*=~[-]|\d+[.)])/, "\u200b");
}

function phrase({ code, text, phrase: said = text }: Fact): string {
  if (code === undefined) return escaped(said);
  return said === "" ? `\`${escaped(code)}\`` : `\`${escaped(code)}\` ${escaped(said)}`;
}

function stackOf({ link, stack }: Message): string {
  if (stack === null) return "";
  return link === null ? `: *${escaped(stack)}*` : `: <${link}|${escaped(stack).replaceAll("|", "¦")}>`;
}

/**
 * `&`, `<` and `>` as the form wants them escaped, and an `@` that calls nobody: `<!channel>` in one server is
 * `@channel` in another. A bracket before a parenthesis would be a link in some.
 */
function escaped(text: string): string {
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@\u200b", "](": "]\u200b(" };
  return text.replace(/[&<>@]|\]\(/g, (part) => escapes[part as keyof typeof escapes]);
}
