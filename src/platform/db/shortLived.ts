/**
 * Keeps what statements are built from where it is collected cheaply. The fragments that drizzle makes for each
 * statement come from the same few places as those kept for ever in constants, and the engine concludes from some that
 * live long that all from there do: it makes them in the old space, where they lie until the next full collection and
 * keep alive whatever young things they point to. Small collections copied these: pauses of 5 ms in a process that
 * claims, 2 without.
 */
import { setFlagsFromString } from "node:v8";

setFlagsFromString("--no-allocation-site-pretenuring");
