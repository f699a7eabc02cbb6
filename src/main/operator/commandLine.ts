/** The command line of an operator. */
import { parseArgs } from "node:util";
import type { Db } from "../../platform/db/client.ts";
import type { AdminConfig } from "../config/settings.ts";

/** The command line is not what the command takes; the message is for the operator. */
export class UsageError extends Error {}

export type Command = { usage: string; run: (args: string[], config: AdminConfig, db: Db) => Promise<unknown> };

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

export function parse(args: string[], options: NonNullable<Options>, positionals: number) {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (parsed.positionals.length !== positionals) throw new UsageError("wrong number of arguments");
  return parsed;
}
