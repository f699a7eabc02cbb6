/** The texts and numbers in an expression of the engine's language, each line and sign of which is looked at once. */

const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]{0,200})\r?$/u;
const NUMBER = /\d[\d.]{0,400}/g;

export function* literalsIn(lines: readonly string[]): Generator<string, void> {
  let heredoc: { tag: string; lines: string[] } | null = null;
  for (const line of lines) {
    if (heredoc !== null) {
      if (line.trim() !== heredoc.tag) heredoc.lines.push(line);
      else {
        yield withoutIndent(heredoc.lines);
        heredoc = null;
      }
      continue;
    }
    const { quoted, rest } = quotedIn(line);
    for (const text of quoted) yield unquoted(text);
    for (const [digits] of rest.matchAll(NUMBER)) yield digits;
    const tag = HEREDOC.exec(rest.slice(-220))?.[1];
    if (tag !== undefined) heredoc = { tag, lines: [] };
  }
  if (heredoc !== null) yield withoutIndent(heredoc.lines);
}

/** What stands in quotes, and what does not. */
function quotedIn(line: string): { quoted: string[]; rest: string } {
  const quoted: string[] = [];
  let rest = "";
  let from: number | null = null;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') {
      if (from !== null) quoted.push(line.slice(from, at));
      from = from === null ? at + 1 : null;
    } else if (from === null) rest += line[at];
    else if (line[at] === "\\") at += 1;
  }
  return { quoted, rest };
}

/** As the engine reads it. */
function unquoted(text: string): string {
  try {
    return (JSON.parse(`"${text}"`) as string).replaceAll("$${", "${").replaceAll("%%{", "%{");
  } catch {
    return text;
  }
}

function withoutIndent(lines: readonly string[]): string {
  const indent = lines.reduce((least, line) => {
    return line.trim() === "" ? least : Math.min(least, line.length - line.trimStart().length);
  }, Number.MAX_SAFE_INTEGER);
  return lines.map((line) => line.slice(indent)).join("\n");
}
