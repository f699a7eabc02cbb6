/**
 * Finds what a text refers to: pages and headings of `docs/`, files of the repository, and texts that are not in it.
 */

export type Reference = { line: number; text: string } & (
  | { kind: "page"; path: string; anchor: string | null }
  | { kind: "path"; path: string }
  | { kind: "neighbour"; path: string }
  | { kind: "citation" }
);

/** Texts that led to this product and are not in the repository: chapters by number, cases by letter and number. */
const CITATION = /\b(?:[Ss]pec|[Dd]esign)\.? §?\d(?:[\d.]*\d)?|(?<![\w:])C\d{1,3}(?!\w)|\b[SD]\d\.\d+/g;
const PAGE = /(?<![\w./-])(docs\/[\w./-]*\.(?:md|json|ya?ml))(?:#([\w-]+))?/g;
/** A link of a Markdown page, relative to it. */
const LINK = /\]\(([^)\s]+)\)/g;
const FOLDERS = "src|workflows|activities|runner|bench|test|bin|drizzle|drizzle-explore|docs|console|cli|patches";
const PATH = new RegExp(String.raw`(?<![\w./@-])(?:${FOLDERS})\/[\w@./-]*`, "g");
/** A source file by its name or the end of its path, as comments name their neighbours. */
const NEIGHBOUR = /(?<![\w./@*{}<>$-])(?!\.)[\w./-]*\w\.(?:ts|mjs|sql)(?![\w/(])/g;
const COMMENT = /^\s*(?:\/\/|\/?\*|--|#)/;

/** All references of the file at `path`. */
export function referencesIn(path: string, text: string): Reference[] {
  return text.split("\n").flatMap((line, index) => ofLine(path, line).map((found) => ({ ...found, line: index + 1 })));
}

type Found = Reference extends infer R ? (R extends Reference ? Omit<R, "line"> : never) : never;

function ofLine(file: string, line: string): Found[] {
  const found: Found[] = [];
  for (const [text] of line.matchAll(CITATION)) found.push({ kind: "citation", text });
  for (const [text, path, anchor] of line.matchAll(PAGE))
    found.push({ kind: "page", text, path: path!, anchor: anchor ?? null });
  if (file.endsWith(".md")) {
    for (const [, target] of line.matchAll(LINK)) {
      const page = linked(file, target!);
      if (page !== null) found.push({ kind: "page", text: target!, ...page });
    }
  }
  const prose = proseOf(file, line);
  for (const [text] of prose.matchAll(PATH)) {
    const path = text.replace(/[.-]+$/, "");
    if (found.some((each) => each.kind === "page" && each.path === path)) continue;
    found.push({ kind: "path", text, path: path.replace(/\/$/, "") });
  }
  for (const [text] of prose.matchAll(NEIGHBOUR)) {
    if (text.search(PATH) === -1) found.push({ kind: "neighbour", text, path: text });
  }
  return found;
}

/**
 * What of a line people read: outside pages only its comment, where a path is no route, no name and no test's example.
 */
function proseOf(file: string, line: string): string {
  if (file.endsWith(".md") || COMMENT.test(line)) return line;
  return /\s(?:\/\/|#)\s.*/.exec(line)?.[0] ?? "";
}

/** The file and heading a link leads to; null for one that leaves the repository. */
function linked(from: string, target: string): { path: string; anchor: string | null } | null {
  if (/^[a-z]+:|^\//.test(target)) return null;
  const [relative = "", anchor = null] = target.split("#", 2);
  if (relative === "") return { path: from, anchor };
  const parts = from.split("/").slice(0, -1);
  for (const part of relative.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return { path: parts.join("/"), anchor };
}
