/** However large or strange what a host tells of its trees, so much of it is read and kept, and no more. */
import { expect, it } from "vitest";
import type { RepositoryCalls } from "../client.ts";
import { comparison } from "./comparison.ts";

const [BEFORE, AFTER] = ["a".repeat(40), "b".repeat(40)];
type Tree = { tree: object[]; truncated?: boolean; bytes?: number };

/** A repository in which `AFTER` comes after `BEFORE`. */
function repository(treeOf: (id: string, page: number) => Tree): { calls: RepositoryCalls; read: () => number } {
  let read = 0;
  const call = async (_method: string, path: string, parameters: Record<string, unknown> = {}) => {
    const answer = (data: unknown, bytes = 0) => ({ status: 200, link: null, data, bytes });
    const { id, sha, page } = parameters as { id: string; sha: string; page: number };
    if (path === "/git/commits/{id}") return answer({ sha: id, commit: { message: "m" } });
    if (path === "/commits") return answer(sha === BEFORE ? [] : [{ sha: AFTER }]);
    read += 1;
    const { bytes, ...data } = treeOf(id, page);
    return answer(data, bytes);
  };
  return { calls: { call } as unknown as RepositoryCalls, read: () => read };
}
const file = (path: string, sha: string) => ({ path, sha, type: "blob", mode: "100644" });
const folder = (path: string, sha: string) => ({ path, sha, type: "tree" });

it("names what differs, and looks into folders that do alone", async () => {
  const trees: Record<string, object[]> = {
    [BEFORE]: [file("a.tf", "1"), folder("same", "s"), folder("net", "n1")],
    [AFTER]: [file("a.tf", "1"), folder("same", "s"), folder("net", "n2")],
    n1: [file("main.tf", "1")],
    n2: [file("main.tf", "2")],
  };
  const { calls, read } = repository((id) => ({ tree: trees[id] ?? [] }));
  expect(await comparison(calls, BEFORE, AFTER)).toEqual({
    ...{ outcome: "compared", relation: "ahead", paths: ["net/main.tf"], complete: true },
  });
  expect(read()).toBe(4);
});

it("stops at so many bytes, though each page is one that may be read", async () => {
  const large = { tree: [file("x".repeat(100), "1")], truncated: true, bytes: 16 * 1_048_576 };
  const { calls, read } = repository(() => large);
  expect(await comparison(calls, BEFORE, AFTER)).toMatchObject({ outcome: "compared", complete: false });
  // Four whole pages of the one side, and one too many of each.
  expect(read()).toBe(6);
});

it("stops at once where more folders differ than are looked into", async () => {
  const tree = (id: string) => Array.from({ length: 400 }, (_, i) => folder(`f${i}`, `${id}${i}`));
  const { calls, read } = repository((id) => ({ tree: tree(id) }));
  expect(await comparison(calls, BEFORE, AFTER)).toMatchObject({ complete: false });
  expect(read()).toBe(2);
});

it("keeps so many paths and no more", async () => {
  const [folders, files] = [20, 20_000];
  const { calls } = repository((id, page) => {
    if (id === BEFORE) return { tree: [] };
    if (id === AFTER) return { tree: Array.from({ length: folders }, (_, i) => folder(`f${i}`, `t${i}`)) };
    return {
      tree: Array.from({ length: 1_000 }, (_, i) => file(`${page}-${i}`, "1")),
      truncated: page < files / 1_000,
    };
  });
  const found = await comparison(calls, BEFORE, AFTER);
  expect(found).toMatchObject({ outcome: "compared", complete: false });
  expect("paths" in found && found.paths.length).toBeLessThanOrEqual(50_000 + files);
});
