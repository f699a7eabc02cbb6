/** The anchors of a Markdown page, by the rules of GitHub: what stands behind the `#` of a link to a heading. */

/** Every anchor of the page: one for each heading outside code, a number appended to those that repeat. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const heading of headings(markdown)) {
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

function headings(markdown: string): string[] {
  const found: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split("\n")) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== null) fence = mark;
    else {
      const heading = /^ {0,3}#{1,6}\s+(.+?)(?:\s+#+)?\s*$/.exec(line)?.[1];
      if (heading !== undefined) found.push(heading);
    }
  }
  return found;
}

/** Lower case; links keep their text; punctuation goes, hyphens and underscores stay; each blank becomes a hyphen. */
function anchorOf(heading: string): string {
  const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
}
