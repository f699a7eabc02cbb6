/** The API program: people's and runners' routes on one address. Any number of copies may run. */
import { loadConfig } from "./config/config.ts";
import { runProgram } from "./runProgram.ts";
import { startApi } from "./service/api.ts";

await runProgram(() => startApi(loadConfig(process.env, "api")));
