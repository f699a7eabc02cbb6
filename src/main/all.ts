/** `npm start`: the whole product on one machine, over one data folder. */

import { firstCalls } from "./dev/firstCalls.ts";
import { type Installation, startInstallation } from "./dev/installation.ts";
import { parseStartOptions, type StartOptions, USAGE } from "./dev/options.ts";

/** Signals that come closer together are one request: a terminal sends it to us and to the npm that passes it on. */
const ONE_REQUEST_MS = 1_000;

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(options: StartOptions): Promise<void> {
  const startedAt = performance.now();
  const stops = stopRequests();
  const starting = startInstallation({ ...options, log: (line) => tell(`  ${line}`) });
  void stops.first.then(() => tell("Stopping ..."));
  const installation = await starting;
  tell(whatToTry(installation, options, (performance.now() - startedAt) / 1_000));
  await stops.first;
  const stopped = installation.stop();
  void stops.again.then(() => {
    tell("Interrupting runs that are still at work ...");
    void installation.stop();
  });
  await stopped;
  tell("Stopped.");
}

/** Resolve at the first request to stop, and at the next one after it. A request during the start waits for its end. */
function stopRequests(): { first: Promise<void>; again: Promise<void> } {
  const first = Promise.withResolvers<void>();
  const again = Promise.withResolvers<void>();
  let firstAt: number | undefined;
  const request = () => {
    firstAt ??= Date.now();
    first.resolve();
    if (Date.now() - firstAt > ONE_REQUEST_MS) again.resolve();
  };
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, request);
  return { first: first.promise, again: again.promise };
}

function whatToTry(
  { ready, organization, signIn, engine }: Installation,
  { data }: StartOptions,
  seconds: number,
): string {
  return `
Ready in ${seconds.toFixed(1)} s.

  Console         ${ready.base_url}
  First visit     ${signIn.firstLink}
                  signs you in as ada (admin), once, within 15 minutes
  API             ${ready.base_url}
  Temporal's UI   ${ready.temporal_ui_url}/namespaces/${ready.temporal_namespace}/workflows
  Organization    ${organization.orgName} (${ready.org_id}), at most ${organization.runsPerHour} runs an hour
  Sign in         ${signIn.url}
                  as ada (admin), dev (deployer) or anybody, password ${signIn.password}
  Engine          ${engine ? `${engine.tool} at ${engine.binary}` : "none"}
  Addresses and the admin token are in ${data}/ready.json, for a shell in ${data}/env, logs in ${data}/logs

Try it in another shell:

${indented(firstCalls(data))}

README.md goes on from there with a first stack. Ctrl-C stops everything; the same command goes on where it was.`;
}

function indented(lines: string): string {
  return lines.replace(/^/gm, "  ");
}

let options: StartOptions | undefined;
try {
  options = parseStartOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
if (options) {
  try {
    await main(options);
  } catch (error) {
    console.error(`Could not start: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
