/**
 * What the files of a stack say of sensitive variables, for output that comes before there is a plan: values that are
 * written down beside their declaration, in variable files and in the environment. Computed ones nobody can know then.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import type { Tool } from "../engine/engine.ts";
import { formsOf } from "../output/engineForms.ts";
import { collectSensitive, isObject } from "../output/sensitiveValues.ts";
import { configurationFiles } from "./configurationFiles.ts";
import { literalsIn } from "./literals.ts";

/** A larger file is data of some kind, and holds no variables. */
const MAX_BYTES = 1_048_576;
const VARIABLE_FILES = /^terraform\.tfvars(?:\.json)?$|\.auto\.tfvars(?:\.json)?$/;
const DECLARATION = /^[ \t]{0,80}variable[ \t]{1,80}(?:"([^"]{1,500})"|([^\s"{]{1,500}))[ \t]{0,80}\{(.*)$/;
const SENSITIVE = /\bsensitive[ \t]{0,80}=[ \t]{0,80}true\b/;
const DEFAULT = /\bdefault[ \t]{0,80}=(.*)$/;
/** What may stand behind a default in its block. */
const NEXT_ARGUMENT = /^[ \t]{0,80}(?:type|description|sensitive|nullable|ephemeral|deprecated|validation)\b/;
const ASSIGNMENT = /^[ \t]{0,80}([^\s"=]{1,500})[ \t]{0,80}=(.*)$/;

/** Never throws: what cannot be read the engine does not read either. */
export async function declaredSensitive(cwd: string, tool: Tool, env: Record<string, string>): Promise<Buffer[]> {
  const names = await readdir(cwd).catch(() => []);
  const into = new Set<string>();
  const sensitive = new Set<string>();
  for (const text of await texts(cwd, configurationFiles(names, tool))) readDeclarations(text, sensitive, into);
  if (sensitive.size === 0) return [];
  for (const name of sensitive) {
    const given = env[`TF_VAR_${name}`] ?? "";
    collectSensitive(given, true, into);
    if (/^\s{0,80}[[{]/.test(given)) addLiterals(given.split("\n"), into);
  }
  const files = names.filter((name) => VARIABLE_FILES.test(name));
  for (const text of await texts(cwd, files)) readAssignments(text, sensitive, into);
  return formsOf(into);
}

async function texts(cwd: string, files: readonly string[]): Promise<string[]> {
  const read = files.map(async (name) => {
    const file = path.join(cwd, name);
    const found = await stat(file);
    return found.isFile() && found.size <= MAX_BYTES ? await readFile(file, "utf8") : "";
  });
  return (await Promise.allSettled(read)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

/** Names of the sensitive variables that a file declares, and what their defaults say. */
function readDeclarations(text: string, sensitive: Set<string>, into: Set<string>): void {
  let name = "";
  let body: string[] = [];
  const end = () => {
    if (name !== "" && body.some((line) => SENSITIVE.test(line))) {
      sensitive.add(name);
      addLiterals(defaultIn(body), into);
    }
    name = "";
    body = [];
  };
  for (const line of text.split("\n")) {
    const begun = DECLARATION.exec(line);
    if (begun !== null) {
      end();
      name = begun[1] ?? begun[2] ?? "";
      body.push(begun[3] ?? "");
    } else if (line.startsWith("}")) end();
    else if (name !== "") body.push(line);
  }
  end();
}

function defaultIn(body: readonly string[]): string[] {
  const from = body.findIndex((line) => DEFAULT.test(line));
  if (from === -1) return [];
  const rest = body.slice(from + 1);
  const until = rest.findIndex((line) => NEXT_ARGUMENT.test(line));
  return [DEFAULT.exec(body[from] ?? "")?.[1] ?? "", ...(until === -1 ? rest : rest.slice(0, until))];
}

/** What a file of variables gives the sensitive ones. */
function readAssignments(text: string, sensitive: ReadonlySet<string>, into: Set<string>): void {
  if (text.trimStart().startsWith("{")) {
    const values = documentOf(text);
    for (const [name, value] of isObject(values) ? Object.entries(values) : []) {
      if (sensitive.has(name)) collectSensitive(value, true, into);
    }
    return;
  }
  let value: string[] | null = null;
  for (const line of text.split("\n")) {
    const begun: RegExpExecArray | null = /^[ \t]/.test(line) && value !== null ? null : ASSIGNMENT.exec(line);
    if (begun !== null) {
      if (value !== null) addLiterals(value, into);
      value = sensitive.has(begun[1] ?? "") ? [begun[2] ?? ""] : null;
    } else value?.push(line);
  }
  if (value !== null) addLiterals(value, into);
}

function documentOf(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return null;
  }
}

function addLiterals(lines: readonly string[], into: Set<string>): void {
  for (const literal of literalsIn(lines)) collectSensitive(literal, true, into);
}
