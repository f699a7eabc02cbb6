/** The worker program: runs the workflows and their activities, relays the outbox, keeps Temporal in order. */
import { loadConfig } from "./config/config.ts";
import { runProgram } from "./runProgram.ts";
import { startWorker } from "./service/worker.ts";

await runProgram(() => startWorker(loadConfig(process.env, "worker")));
