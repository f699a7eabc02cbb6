// Checks the direction of imports, and the map of docs/architecture.md against the folders. Part of `npm run check`.
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseResult, type IModule } from "dependency-cruiser";
import { DISTRICTS, OPTIONS, RULES } from "./districtRules.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PARTS = ["src", "activities", "workflows", "runner", "clients", "console", "cli"];

/** What stands in the way of the rules below `root`, a line each. */
export async function wrongImports(root: string): Promise<string[]> {
  const parts = PARTS.filter((part) => readdirSync(root).includes(part));
  const cruised = await cruise(parts, { ...OPTIONS, baseDir: root, ruleSet: { forbidden: RULES }, validate: true });
  const output = cruised.output as ICruiseResult;
  const found = output.summary.violations.map(({ rule, from, to, cycle = [] }) => {
    const way = cycle.length > 0 ? cycle.map(({ name }) => name) : [to];
    return `${rule.name}: ${[from, ...way].join(" -> ")}`;
  });
  return [...found, ...circlesOfRooms(output.modules), ...reExports(root, output.modules)];
}

/**
 * `src/core/runs/lifecycle.ts` and whatever is below it stand in the room `src/core/runs`. Tests may look at any room.
 */
function roomOf(file: string): string | null {
  if (file.endsWith(".test.ts")) return null;
  return /^(src\/[^/]+\/[^/]+|runner\/[^/]+)\//.exec(file)?.[1] ?? /^activities\//.exec(file)?.[0] ?? null;
}

/** From a room to others, each with an import that leads there. */
type Arrows = Map<string, Map<string, string>>;

/** Rooms that can be reached from themselves. */
function circlesOfRooms(modules: readonly IModule[]): string[] {
  const next: Arrows = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [roomOf(source), roomOf(resolved)];
      if (from === null || to === null || from === to) continue;
      next.set(from, (next.get(from) ?? new Map()).set(to, `${source} -> ${resolved}`));
    }
  }
  return [...next.keys()].flatMap((room) => {
    const way = wayBack(room, next);
    return way === null ? [] : [`rooms of a district import each other in one direction: ${way.join("; ")}`];
  });
}

/** The imports that lead from `room` through others back to it, or null. */
function wayBack(room: string, next: Arrows): string[] | null {
  const ways = new Map<string, string[]>([[room, []]]);
  for (const [at, way] of ways) {
    for (const [to, by] of next.get(at) ?? []) {
      if (to === room) return [...way, by];
      if (!ways.has(to)) ways.set(to, [...way, by]);
    }
  }
  return null;
}

/** A name is imported from where it is declared. `export ... from` would also hide an import from the rules above. */
function reExports(root: string, modules: readonly IModule[]): string[] {
  const sources = modules.map(({ source }) => source).filter((file) => /^(src|activities|runner)\/.*[.]ts$/.test(file));
  return sources
    .filter((file) => /^export (type )?[{*][^;]*? from "/m.test(readFileSync(`${root}/${file}`, "utf8")))
    .map((file) => `a name is imported from where it is declared: ${file} exports what another file declares`);
}

/** The districts and rooms that the map in `text` shows, in its order, as `src/core/stacks`. */
export function roomsOfMap(text: string): string[] {
  const map = /```text\n(src\/[\s\S]*?)```/.exec(text)?.[1] ?? "";
  const rooms: string[] = [];
  const path: string[] = [];
  for (const line of map.split("\n")) {
    const [, indent = "", names] = /^( *)((?:[a-zA-Z]+\/ ?)+)(?: |$)/.exec(line) ?? [];
    if (names === undefined) continue;
    const depth = indent.length / 2;
    const parent = [...path.slice(0, depth)];
    for (const name of names.trim().split(/\s+/)) {
      path.splice(depth, Infinity, name.replace("/", ""));
      rooms.push([...parent, name.replace("/", "")].join("/"));
    }
  }
  return rooms;
}

/** The districts and rooms that there are below `root`. */
export function roomsOfTree(root: string): string[] {
  const folders = (path: string) =>
    readdirSync(`${root}/${path}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "testdata")
      .map(({ name }) => `${path}/${name}`);
  const districts = folders("src");
  return [
    "src",
    ...districts,
    ...districts.flatMap(folders),
    "activities",
    "workflows",
    "runner",
    ...folders("runner"),
  ];
}

/** How the map differs from the tree and from the rules' list of districts, a line each. */
export function wrongMap(text: string, root: string): string[] {
  const shown = roomsOfMap(text);
  const there = roomsOfTree(root);
  const districts = shown.filter((room) => /^src\/[^/]+$/.test(room)).map((room) => room.slice(4));
  return [
    ...shown.filter((room) => !there.includes(room)).map((room) => `the map shows ${room}, which is not there`),
    ...there.filter((room) => !shown.includes(room)).map((room) => `the map does not show ${room}`),
    ...(districts.join() === DISTRICTS.join() ? [] : [`the map's districts are not those of the rules: ${districts}`]),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = `${ROOT}/docs/architecture.md`;
  const wrong = [...(await wrongImports(ROOT)), ...wrongMap(readFileSync(file, "utf8"), ROOT)];
  for (const line of wrong) console.error(line);
  if (wrong.length > 0) console.error(`see ${relative(process.cwd(), file)}`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
