/**
 * `node runner/bundleEphemeral.ts`: makes what a coordinator starts for each run, for installations that the
 * coordinator may not write to.
 */
import { bundleEphemeral } from "./program/bundle.ts";
import { INSTALLED, keepProgram } from "./program/ephemeralProgram.ts";

await keepProgram(await bundleEphemeral(), INSTALLED);
