/** The worker program: runs the workflows and their activities, relays the outbox, keeps Temporal in order. */
import { loadConfig } from "../config.ts";
import { runProgram } from "./runProgram.ts";
import { startWorker } from "./startWorker.ts";

await runProgram(() => startWorker(loadConfig(process.env, "worker")));
