/** Command line of `npm start`. */
import { parseArgs } from "node:util";

export type StartOptions = { data: string; port: number };

export const USAGE = "usage: npm start [-- --data DIR --port N]   (N = 0 takes any free port)";

/** @throws an error with one line of text for an unknown option or a bad port. */
export function parseStartOptions(args: readonly string[]): StartOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { data: { type: "string", default: ".data" }, port: { type: "string", default: "8080" } },
  });
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535)
    throw new Error(`--port ${values.port} is no port; for example 8080`);
  if (values.data === "") throw new Error("--data needs a folder; for example .data");
  return { data: values.data, port };
}
