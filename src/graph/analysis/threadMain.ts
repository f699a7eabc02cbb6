/** The other end of `thread.ts`: runs one job after the other. */
import { parentPort } from "node:worker_threads";
import { type Answer, JOBS, type Job } from "./threadJobs.ts";

const port = parentPort;
if (port === null) throw new Error("runs as a worker thread only");

port.on("message", (job: Job) => port.postMessage(answer(job)));

function answer({ name, input }: Job): Answer {
  try {
    return { result: (JOBS[name] as (input: unknown) => unknown)(input) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
