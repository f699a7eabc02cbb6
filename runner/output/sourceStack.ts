import { readFileSync } from "node:fs";
import type { SourceMap } from "node:module";
import path from "node:path";

/** A place in a file of the bundle, as a stack names it. */
const PLACE = /(\/[^():\n]*[.]cjs):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | null>();

/**
 * A stack whose places are those of the sources, as far as the files it names have a map beside them. Node could do the
 * same by itself, but would read the map at each start. Never throws.
 */
export function sourceStack(stack: string): string {
  return stack.replace(PLACE, (place, file, line, column) => sourcePlace(file, Number(line), Number(column)) ?? place);
}

function sourcePlace(file: string, line: number, column: number): string | null {
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !("fileName" in origin)) return null;
  return `${path.normalize(origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const map = readMap(`${file}.map`);
  maps.set(file, map);
  return map;
}

function readMap(file: string): SourceMap | null {
  try {
    const { SourceMap } = process.getBuiltinModule("node:module");
    return new SourceMap(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null;
  }
}
