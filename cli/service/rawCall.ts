/** `deploy api METHOD PATH`: any call of the service, with this person's token. */
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { errorOf } from "../../clients/api/problem.ts";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { exitOf } from "../exit/ofProblem.ts";

export type RawOptions = { field?: string[]; input?: string; header?: string[]; include?: boolean };

const METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

export const rawCall: Action<RawOptions> = async (context, method, path) => {
  const { options } = context;
  const verb = method?.toUpperCase() ?? "";
  if (!METHODS.has(verb)) throw usage(`${method} is none of ${[...METHODS].join(", ")}.`);
  const session = await sessionOf(context);
  const body = await bodyOf(options);
  const headers = new Headers((options.header ?? []).map(headerOf));
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  if (verb !== "GET" && !headers.has("idempotency-key")) headers.set("idempotency-key", crypto.randomUUID());
  const response = await session.call(pathOf(path ?? "", session.orgId), {
    method: verb,
    headers,
    ...(body !== undefined && { body }),
  });
  if (options.include === true) {
    process.stdout.write(
      `HTTP ${response.status}\n${[...response.headers].map(([name, value]) => `${name}: ${value}\n`).join("")}\n`,
    );
  }
  const failed = response.ok ? null : await errorOf(response.clone());
  const bytes = Buffer.from(await response.arrayBuffer());
  if (bytes.length > 0) process.stdout.write(bytes);
  if (bytes.length > 0 && process.stdout.isTTY && bytes.at(-1) !== 10) process.stdout.write("\n");
  return failed === null ? EXIT.done : exitOf(failed);
};

/** A path of the API, with or without its beginning; `{org}` stands for the organization. Pure. */
export function pathOf(path: string, orgId: string): string {
  if (!path.startsWith("/") || path.startsWith("//")) throw usage(`${path} is no path: it begins with one slash.`);
  const filled = path.replaceAll("{org}", orgId);
  if (filled.startsWith("/api/") || filled === "/openapi.json") return filled;
  return /^\/(?:orgs|me|auth|users|cloud-providers)(?:[/?]|$)/.test(filled)
    ? `/api/v1${filled}`
    : `/api/v1/orgs/${orgId}${filled}`;
}

async function bodyOf({ field, input }: RawOptions): Promise<string | Uint8Array<ArrayBuffer> | undefined> {
  if (field !== undefined && input !== undefined) throw usage("--field and --input do not go together.");
  if (input !== undefined) return new Uint8Array(input === "-" ? await buffer(process.stdin) : await readFile(input));
  return field === undefined ? undefined : JSON.stringify(Object.fromEntries(field.map(fieldOf)));
}

/** `name=text`, or `name:=json`. */
export function fieldOf(text: string): [string, unknown] {
  const found = /^([^=:]+)(:?=)(.*)$/s.exec(text);
  if (found === null) throw usage(`--field: ${text} is neither name=text nor name:=json.`);
  const [, name, sign, value] = found as unknown as [string, string, string, string];
  if (sign === "=") return [name, value];
  try {
    return [name, JSON.parse(value)];
  } catch {
    throw usage(`--field: ${value} is no JSON.`);
  }
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(":");
  if (at < 1) throw usage(`--header: ${text} is no name: value.`);
  // Whoever looks at the processes of the machine would read it.
  if (/^authorization\s*:/i.test(text))
    throw usage("A token is no argument.", "deploy login, or DEPLOY_TOKEN, gives it");
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
