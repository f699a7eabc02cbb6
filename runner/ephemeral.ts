/**
 * The ephemeral runner: one process for one run. The coordinator starts it before there is a run, and gives it its run
 * over its channel. Nobody else can, so without a coordinator it ends. Once it has a run it outlives its coordinator,
 * since a run must not die because a coordinator is restarted.
 */
import { rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { RunContext } from "../src/core/runs/protocol.ts";
import { LateLog, type OwnLog } from "./output/ownLog.ts";
import { sourceStack } from "./output/sourceStack.ts";
import { OutputPipes } from "./process/outputPipe.ts";
import { StopSignal } from "./process/stop.ts";
import { executeAccepted } from "./run/runLifecycle.ts";
import { RunTrace } from "./run/runTrace.ts";
import { persist } from "./service/retry.ts";
import { RunnerApi } from "./service/runnerApi.ts";
import { ServiceClient, ServiceRefused } from "./service/serviceClient.ts";
import { coordinatorChannel } from "./wall/channel.ts";
import type { StartMessage } from "./wall/messages.ts";
import { outliveReader } from "./wall/ownOutput.ts";
import { probe } from "./wall/probe.ts";

const READY_WINDOW_MS = 30_000;

const channel = coordinatorChannel();
const stop = new StopSignal();
const pipes = new OutputPipes();
let token = "";
let started = false;
/** Of the run's repository, where the coordinator has to bring it. */
const copy = Promise.withResolvers<string | null>();

// Node prints what nobody catches, and so where in the bundle it happened.
process.on("uncaughtExceptionMonitor", (error) => {
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceStack(error.stack);
});
channel.onMessage((message) => {
  if (message.type === "token") token = message.token;
  else if (message.type === "interrupt") stop.request({ kind: "shut_down" });
  else if (message.type === "kill") process.exit(1);
  else if (message.type === "copy") copy.resolve(message.folder);
  else if (message.type === "probe")
    void probe(message.targets).then((found) => channel.send({ type: "probed", ...found }));
  else if (!started) {
    started = true;
    token = message.token;
    void channel.send({ type: "begun" });
    void main(message).then((code) => process.exit(code));
  }
});
// A terminal's Ctrl-C is the coordinator's to handle: it drains first.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => {
  if (started) stop.request({ kind: "shut_down" });
  else process.exit();
});
channel.onClose(() => {
  if (!started) process.exit();
  outliveReader();
  copy.resolve(null);
});
if (channel.open) pipes.prepare();
else process.exit();

async function main(start: StartMessage): Promise<number> {
  const { runId, runnerId, directory, settings } = start;
  const trace = new RunTrace(settings, (error) =>
    logger.warn({ err: error }, "spans could not be sent to the trace collector"),
  );
  const logger = new LateLog(settings.logLevel, () => ({ runId, runnerId, ...trace.fields() }));
  const client = new ServiceClient(
    settings.serviceUrl,
    () => token,
    () => trace.headers(),
  );
  const api = new RunnerApi(client, runnerId, runId, trace);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const begun = await begin(api, logger);
    const code = typeof begun === "number" ? begun : await execute(begun, start, api, trace, logger);
    const deregistered = persist(() => api.deregister(), { windowMs: 10_000, unauthorizedWindowMs: 0 }).catch(() => {});
    await Promise.all([deregistered, trace.close()]);
    // Only a runner that came this far is not a dead one, whose run the coordinator has to report.
    await channel.send({ type: "finished" });
    return code;
  } catch (error) {
    logger.error({ err: error }, "the runner failed");
    return 1;
  } finally {
    removeAll(directory);
    await logger.written();
  }
}

async function execute(
  context: RunContext,
  start: StartMessage,
  api: RunnerApi,
  trace: RunTrace,
  logger: OwnLog,
): Promise<number> {
  await channel.send({ type: "accepted" });
  const onGroup = (group: number | null) => void channel.send({ type: "group", group });
  const copyOf = async (folder: string) => {
    await channel.send({ type: "copy_of", folder });
    return channel.open ? copy.promise : null;
  };
  const means = { stop, pipes, onGroup, copyOf };
  return trace.run(context, () => executeAccepted(context, start, api, means, trace, logger));
}

/**
 * The service could not make the run's context, for example while a cloud was away. Once the lease lapses it refuses.
 */
const NO_CONTEXT_YET = {
  codes: new Set(["runtime_credentials_unavailable", "credentials_unavailable", "key_service_unavailable"]),
  windowMs: 600_000,
};

/** Registers and accepts. Returns the run context, or the exit code when there is nothing to execute. */
async function begin(api: RunnerApi, logger: OwnLog): Promise<RunContext | number> {
  try {
    // Not cut by a stop either: a run that is accepted is told to be over, instead of waiting for its lease to lapse.
    await persist(() => api.ready(), { windowMs: READY_WINDOW_MS });
    // A second accept would fail the run, since the first may have got through; 401 and these codes alone say that it
    // did not.
    return await persist(() => api.accept(), { windowMs: 0, withoutEffect: NO_CONTEXT_YET });
  } catch (error) {
    if (error instanceof ServiceRefused && error.code === "run_already_terminal") {
      logger.info({}, "the run ended before this runner could begin");
      return 0;
    }
    logger.warn({ err: error }, "this runner cannot have the run");
    return 1;
  }
}

/** Nothing else waits for this process any more, and a single call costs a tenth of one for each file. */
function removeAll(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // What cannot be removed now cannot be removed later either.
  }
}
