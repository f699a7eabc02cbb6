/** `deploy`: the command line of the service. */
import { version } from "./version.ts";

// Before anything is loaded: this is what scripts ask first.
if (process.argv.length === 3 && process.argv[2] === "--version") process.stdout.write(`${version()}\n`);
else void start();

async function start(): Promise<void> {
  const { main } = await import("./run.ts");
  await main(process.argv.slice(2));
}
