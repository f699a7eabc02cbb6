/**
 * `node runner/launched.ts`: the process of one run in a container, virtual machine or pod that a coordinator's
 * RUNNER_LAUNCH_COMMAND started. Its run comes over standard input, and what it tells the coordinator goes to standard
 * output.
 */
import { pathToFileURL } from "node:url";
import { SOURCE } from "./program/bundle.ts";
import { INSTALLED, keptProgram } from "./program/ephemeralProgram.ts";
import { BY_STANDARD } from "./wall/channel.ts";

process.env[BY_STANDARD] = "yes";
const program = await keptProgram(INSTALLED);
await import(pathToFileURL(program?.file ?? SOURCE).href);
