/** `deploy`: the command line of the service. */
import { writeSync } from "node:fs";
import { version } from "./version.ts";

// Before anything is loaded: this is what scripts ask first. `process.stdout` alone takes a fifth of the start.
if (process.argv.length === 3 && process.argv[2] === "--version") writeSync(1, `${version()}\n`);
else void start();

async function start(): Promise<void> {
  const { main } = await import("./run.ts");
  await main(process.argv.slice(2));
}
