/** `npm run runner`: the coordinator of one runner group, configured by environment only. */
import { mkdir } from "node:fs/promises";
import { pino } from "pino";
import packageFile from "../package.json" with { type: "json" };
import { ConfigError } from "../src/platform/settings/setting.ts";
import { loadRunnerConfig, type RunnerConfig } from "./config/config.ts";
import { Coordinator } from "./coordinator/coordinator.ts";
import { GroupApi } from "./coordinator/groupApi.ts";
import { GroupKey, GroupKeyError } from "./coordinator/groupKey.ts";
import { RunnerMetrics, serveObservability } from "./coordinator/observability.ts";
import { writeReadyFile } from "./coordinator/readyFile.ts";
import { Spares } from "./coordinator/spares.ts";
import { closeInherited } from "./process/inherited.ts";
import { ephemeralProgram } from "./program/ephemeralProgram.ts";
import { ServiceClient } from "./service/serviceClient.ts";
import { chooseWall, WallRefused } from "./wall/chooseWall.ts";

async function main(): Promise<void> {
  closeInherited();
  const config = loadRunnerConfig();
  const key = await loadKey(config);
  const logger = pino({ name: "coordinator", level: config.logLevel }).child({ groupId: config.groupId });
  await prepareWorkDir(config);
  const program = await ephemeralProgram(logger);
  const { isolation, wall } = await chooseWall(config, program, logger).catch((error: unknown) => {
    if (error instanceof WallRefused) throw new ConfigError(error.message);
    throw error;
  });
  const spares = new Spares(wall, Math.min(config.spareProcesses, config.maxConcurrent), logger);
  const metrics = new RunnerMetrics(packageFile.version, config.maxConcurrent, staleAfterMs(config));
  const { server, address } = await serveObservability(metrics, config.listen).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`RUNNER_LISTEN cannot be used (${code}); for example RUNNER_LISTEN=127.0.0.1:0`);
  });
  const api = new GroupApi(new ServiceClient(config.serviceUrl, () => key.groupToken()), isolation);
  const coordinator = new Coordinator(config, key, api, metrics, spares, isolation, logger);
  const drain = () => {
    metrics.drain();
    coordinator.drain();
  };
  process.on("SIGTERM", drain);
  process.on("SIGINT", drain);
  key.watch();
  const removeReadyFile = await writeReadyFile(config.readyFile, { pid: process.pid, isolation, address }).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw new ConfigError(`RUNNER_READY_FILE cannot be written (${code}); for example RUNNER_READY_FILE=/run/ready`);
    },
  );
  logger.info({ address, isolation, slots: config.maxConcurrent, service: config.serviceUrl }, "coordinator started");
  await coordinator.run();
  await removeReadyFile();
  key.stop();
  server.close();
  server.closeAllConnections();
  logger.info("coordinator stopped");
}

async function loadKey(config: RunnerConfig): Promise<GroupKey> {
  try {
    return await GroupKey.load(config.keyFile, config.groupId);
  } catch (error) {
    if (!(error instanceof GroupKeyError)) throw error;
    const example =
      "for example RUNNER_KEY_FILE=/etc/runner/group-key.pem, holding the private_key that creating the group answered";
    throw new ConfigError(`RUNNER_KEY_FILE is unusable: ${error.message}; ${example}`);
  }
}

async function prepareWorkDir(config: RunnerConfig): Promise<void> {
  try {
    await mkdir(config.workDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`RUNNER_WORK_DIR cannot be made (${code}); for example RUNNER_WORK_DIR=/var/lib/runner`);
  }
}

/** While all slots are taken only heartbeats show that the service is there; two may get lost. */
function staleAfterMs(config: RunnerConfig): number {
  return Math.max(config.heartbeatMs * 3, config.pollWaitSeconds * 1_000);
}

await main().catch((error: unknown) => {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
