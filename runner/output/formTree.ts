/** A tree of texts that shares their beginnings, so that thousands of secrets are looked for in one walk. */
export interface FormNode {
  /** What stands between the node above and this one. */
  edge: string;
  ends: boolean;
  children: Map<number, FormNode>;
}

/** How a run of one of these is long depends on how often the text was escaped, so a run counts as one. */
const RUNS = /[\t\n\v\f\r ]+|\\+|\$+|%+|'+|"+/g;
const BLANK = " ";

/** The form in which texts are compared: runs as one sign, every blank and line end as a blank. */
export function folded(text: string): string {
  return text.replace(RUNS, (run) => ("\\$%'\"".includes(run[0] ?? "") ? (run[0] ?? "") : BLANK));
}

export function formTree(forms: Iterable<string>): FormNode {
  const root: FormNode = { edge: "", ends: false, children: new Map() };
  for (const form of forms) insert(root, form);
  return root;
}

function insert(root: FormNode, form: string): void {
  let node = root;
  for (let at = 0; at < form.length; ) {
    const child = node.children.get(form.charCodeAt(at));
    if (child === undefined) {
      node.children.set(form.charCodeAt(at), { edge: form.slice(at), ends: true, children: new Map() });
      return;
    }
    let same = 1;
    while (same < child.edge.length && child.edge[same] === form[at + same]) same += 1;
    if (same < child.edge.length) split(child, same);
    at += same;
    node = child;
  }
  node.ends = true;
}

function split(node: FormNode, at: number): void {
  const below: FormNode = { edge: node.edge.slice(at), ends: node.ends, children: node.children };
  node.edge = node.edge.slice(0, at);
  node.ends = false;
  node.children = new Map([[below.edge.charCodeAt(0), below]]);
}
