/** The other end of `thread.ts`: runs one job after the other. */
import { parentPort } from "node:worker_threads";
import { type Answer, JOBS, type Job } from "./threadJobs.ts";

const port = parentPort;
if (port === null) throw new Error("runs as a worker thread only");

port.on("message", ({ id, name, input }: Job) => port.postMessage(answer(id, name, input)));

function answer(id: number, name: Job["name"], input: Job["input"]): Answer {
  try {
    return { id, result: (JOBS[name] as (input: unknown) => unknown)(input) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
