/** A message as an e-mail: a subject, and the same content as text and as HTML. Pure. */
import type { Message } from "../message.ts";

export type Mail = { subject: string; text: string; html: string };

/** What mail programs show of it. */
const LONGEST_SUBJECT = 150;

export function mailMessage({ title, stack, link, facts, reason, by }: Message): Mail {
  const named = facts.map(({ name, code, text }) => ({ name, text: [code, text].filter(Boolean).join(" ") }));
  const rows = [
    ...named,
    ...(reason === null ? [] : [{ name: "Reason", text: reason }]),
    ...(by === null ? [] : [{ name: "By", text: by }]),
  ];
  const head = stack === null ? title : `${title}: ${stack}`;
  // What looks like an encoded word would be passed on as one, and be read as what it stands for.
  const plain = head.replaceAll("=?", "= ?");
  const subject = plain.length > LONGEST_SUBJECT ? `${plain.slice(0, LONGEST_SUBJECT - 1).toWellFormed()}…` : plain;
  const lines = [head, "", ...rows.map(({ name, text }) => `${name}: ${text}`), ...(link === null ? [] : ["", link])];
  return { subject, text: `${lines.join("\n")}\n`, html: page(head, rows, link) };
}

function page(head: string, rows: readonly { name: string; text: string }[], link: string | null): string {
  const cells = rows.map(
    ({ name, text }) =>
      `<tr><th align="left" valign="top">${escaped(name)}</th><td valign="top">${escaped(text)}</td></tr>`,
  );
  return [
    '<!doctype html><html><head><meta charset="utf-8"></head><body>',
    `<p><strong>${escaped(head)}</strong></p>`,
    ...(cells.length === 0 ? [] : [`<table cellpadding="3">${cells.join("")}</table>`]),
    ...(link === null ? [] : [`<p><a href="${escaped(link)}">${escaped(link)}</a></p>`]),
    "</body></html>",
  ].join("\n");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
