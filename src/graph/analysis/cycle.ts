/** One cycle to show to people: the shortest that a stack lies on. */

/**
 * The nodes of a shortest cycle through `start`, in order, beginning with it; null when it lies on none.
 * @param pairs `from, to, from, to, ...`; loops of one node are no cycles
 */
export function shortestCycle(nodeCount: number, pairs: Int32Array, start: number): number[] | null {
  const { heads, next } = outgoing(nodeCount, pairs);
  const cameFrom = new Int32Array(nodeCount).fill(-1);
  const queue = new Int32Array(nodeCount);
  let [read, written] = [0, 1];
  queue[0] = start;
  while (read < written) {
    const node = queue[read++]!;
    for (let pair = heads[node]!; pair !== -1; pair = next[pair]!) {
      const target = pairs[2 * pair + 1]!;
      if (target === node) continue;
      if (target === start) return pathTo(node, start, cameFrom);
      if (cameFrom[target] !== -1) continue;
      cameFrom[target] = node;
      queue[written++] = target;
    }
  }
  return null;
}

/** Linked lists: the pairs that leave node `n` begin with `heads[n]` and go on with `next[pair]`. */
function outgoing(nodeCount: number, pairs: Int32Array): { heads: Int32Array; next: Int32Array } {
  const heads = new Int32Array(nodeCount).fill(-1);
  const next = new Int32Array(pairs.length / 2);
  for (let pair = next.length - 1; pair >= 0; pair--) {
    const from = pairs[2 * pair]!;
    next[pair] = heads[from]!;
    heads[from] = pair;
  }
  return { heads, next };
}

function pathTo(last: number, start: number, cameFrom: Int32Array): number[] {
  const path = [];
  for (let node = last; node !== start; node = cameFrom[node]!) path.push(node);
  return [start, ...path.reverse()];
}
