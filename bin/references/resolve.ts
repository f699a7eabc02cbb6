/** Says which references lead nowhere. */
import { anchorsOf } from "./anchors.ts";
import { type Reference, referencesIn } from "./find.ts";

/** `text` is null for what is not read: large or generated files, of which only the name counts. */
export type Tree = ReadonlyMap<string, string | null>;

/**
 * One line for each reference of the tree that leads nowhere.
 * @param excused files whose citations of other texts cannot be mended
 */
export function brokenReferences(tree: Tree, excused: ReadonlySet<string> = new Set()): string[] {
  const folders = foldersOf(tree);
  const ends = endsOf(tree);
  const anchors = new Map<string, Set<string>>();
  const anchorsIn = (path: string) => {
    const known = anchors.get(path) ?? anchorsOf(tree.get(path) ?? "");
    anchors.set(path, known);
    return known;
  };

  function fault(file: string, found: Reference): string | null {
    if (found.kind === "citation") return excused.has(file) ? null : "cites a text that is not in the repository";
    if (found.kind === "neighbour") return ends.has(found.path) ? null : "names a file that does not exist";
    if (!tree.has(found.path) && !folders.has(found.path)) return "names a file that does not exist";
    if (found.kind === "page" && found.anchor !== null && !anchorsIn(found.path).has(found.anchor))
      return "names a heading that does not exist";
    return null;
  }

  const broken: string[] = [];
  for (const [path, text] of tree) {
    for (const found of text === null ? [] : referencesIn(path, text)) {
      const why = fault(path, found);
      if (why !== null) broken.push(`${path}:${found.line}: ${found.text} ${why}`);
    }
  }
  return broken;
}

function foldersOf(tree: Tree): Set<string> {
  const folders = new Set<string>();
  for (const path of tree.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      folders.add(path.slice(0, end));
  }
  return folders;
}

/** Every way to name a file by the end of its path, from its own name up. */
function endsOf(tree: Tree): Set<string> {
  const ends = new Set<string>();
  for (const path of tree.keys()) {
    const parts = path.split("/");
    for (let from = 0; from < parts.length; from++) ends.add(parts.slice(from).join("/"));
  }
  return ends;
}
