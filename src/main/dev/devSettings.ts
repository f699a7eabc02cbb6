/** Reads `temporal-dev.yaml`: namespace, search attributes and server settings of the development server. */
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { parse } from "yaml";
import { mapOf } from "../../platform/json/mapOf.ts";

const FILE = new URL("../../../temporal-dev.yaml", import.meta.url);

const DevSettings = v.strictObject({
  namespace: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/)),
  search_attributes: mapOf(
    v.pipe(v.string(), v.regex(/^[A-Za-z][A-Za-z0-9]*$/)),
    v.picklist(["Text", "Keyword", "Int", "Double", "Bool", "Datetime", "KeywordList"]),
  ),
  dynamic_config: v.optional(mapOf(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
});
export type DevSettings = v.InferOutput<typeof DevSettings>;

/** @throws an error that names the file and the first field that is wrong. */
export async function readDevSettings(): Promise<DevSettings> {
  return parseDevSettings(await readFile(FILE, "utf8"));
}

/** Parse the text of the file. */
export function parseDevSettings(text: string): DevSettings {
  const result = v.safeParse(DevSettings, parse(text));
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Error(`temporal-dev.yaml: ${v.getDotPath(issue) ?? "document"}: ${issue.message}`);
}
