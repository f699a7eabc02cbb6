/** The API program: people's and runners' routes on one address. Any number of copies may run. */
import { loadConfig } from "../config.ts";
import { runProgram } from "./runProgram.ts";
import { startApi } from "./startApi.ts";

await runProgram(() => startApi(loadConfig(process.env, "api")));
