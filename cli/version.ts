import { readFileSync } from "node:fs";

declare const DEPLOY_VERSION: string | undefined;

/** Written into the program when it is built. */
export function version(): string {
  if (typeof DEPLOY_VERSION === "string") return DEPLOY_VERSION;
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
