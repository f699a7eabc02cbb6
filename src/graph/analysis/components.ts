/**
 * Strongly connected components (Tarjan's algorithm) over typed arrays, with a stack of its own: recursion overflows on
 * a chain of some ten thousand stacks, and objects for each node would cost more than the walk.
 */

export type Components = {
  /** For each node the number of its component; two nodes share one if each is reachable from the other. */
  of: Int32Array;
  /** How many nodes each component has. */
  sizes: Int32Array;
};

/**
 * The components of the graph with nodes `0 .. nodeCount - 1`.
 * @param pairs `from, to, from, to, ...`; repeated pairs and loops of one node change nothing
 * @throws RangeError when a pair names a node that does not exist
 */
export function components(nodeCount: number, pairs: Int32Array): Components {
  const { starts, targets } = adjacency(nodeCount, pairs);
  const of = new Int32Array(nodeCount).fill(-1);
  const sizes = new Int32Array(nodeCount);
  // 0 means not seen yet; a node's order of discovery counts from 1.
  const seenAt = new Int32Array(nodeCount);
  const low = new Int32Array(nodeCount);
  const open = new Int32Array(nodeCount);
  const path = new Int32Array(nodeCount);
  const nextEdge = starts.slice(0, nodeCount);
  let openCount = 0;
  let clock = 0;
  let found = 0;

  const enter = (node: number, depth: number) => {
    clock += 1;
    seenAt[node] = clock;
    low[node] = clock;
    open[openCount++] = node;
    path[depth] = node;
  };
  /** Everything opened since `root` was is reachable from it and reaches it. */
  const close = (root: number) => {
    for (let node = -1; node !== root; ) {
      node = open[--openCount]!;
      of[node] = found;
      sizes[found]! += 1;
    }
    found += 1;
  };

  for (let start = 0; start < nodeCount; start++) {
    if (seenAt[start] !== 0) continue;
    let depth = 0;
    enter(start, depth);
    while (depth >= 0) {
      const node = path[depth]!;
      const at = nextEdge[node]!;
      if (at < starts[node + 1]!) {
        nextEdge[node] = at + 1;
        const target = targets[at]!;
        if (seenAt[target] === 0) enter(target, ++depth);
        else if (of[target] === -1) low[node] = Math.min(low[node]!, seenAt[target]!);
        continue;
      }
      if (low[node] === seenAt[node]) close(node);
      depth -= 1;
      if (depth >= 0) low[path[depth]!] = Math.min(low[path[depth]!]!, low[node]!);
    }
  }
  return { of, sizes: sizes.slice(0, found) };
}

/** The targets of each node side by side: those of node `n` are `targets[starts[n]] .. targets[starts[n + 1] - 1]`. */
function adjacency(nodeCount: number, pairs: Int32Array): { starts: Int32Array; targets: Int32Array } {
  const starts = new Int32Array(nodeCount + 1);
  for (let i = 0; i < pairs.length; i++) {
    const node = pairs[i]!;
    if (node < 0 || node >= nodeCount) throw new RangeError(`no node ${node} among ${nodeCount}`);
    if (i % 2 === 0) starts[node + 1]! += 1;
  }
  for (let node = 0; node < nodeCount; node++) starts[node + 1]! += starts[node]!;
  const targets = new Int32Array(pairs.length / 2);
  const next = starts.slice(0, nodeCount);
  for (let i = 0; i < pairs.length; i += 2) targets[next[pairs[i]!]!++] = pairs[i + 1]!;
  return { starts, targets };
}
