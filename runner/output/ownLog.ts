import type { LevelWithSilent, Logger } from "pino";
import { sourceStack } from "./sourceStack.ts";

/** What a runner says of itself, to its operator. The log of its run is another thing. */
export type OwnLog = Record<Kind, (fields: object, message: string) => void>;

type Kind = "debug" | "info" | "warn" | "error";
const SERIOUSNESS: LevelWithSilent[] = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Lines as `pino` writes them. The first one loads it: most runs have nothing to say, and loading takes a while. */
export class LateLog implements OwnLog {
  readonly debug = this.#kind("debug");
  readonly info = this.#kind("info");
  readonly warn = this.#kind("warn");
  readonly error = this.#kind("error");
  readonly #level: LevelWithSilent;
  readonly #fields: () => object;
  #pino: Promise<Logger> | null = null;
  #written: Promise<void> = Promise.resolve();

  /** @param fields what each line says too, asked for when it is logged */
  constructor(level: LevelWithSilent, fields: () => object) {
    this.#level = level;
    this.#fields = fields;
  }

  /** Resolves once every line so far is written. */
  written(): Promise<void> {
    return this.#written;
  }

  #kind(kind: Kind): OwnLog[Kind] {
    return (fields, message) => {
      if (SERIOUSNESS.indexOf(kind) < SERIOUSNESS.indexOf(this.#level)) return;
      const line = { ...this.#fields(), ...fields };
      this.#pino ??= load(this.#level);
      const pino = this.#pino;
      this.#written = this.#written.then(async () => (await pino)[kind](line, message)).catch(() => {});
    };
  }
}

async function load(level: LevelWithSilent): Promise<Logger> {
  const { pino, stdSerializers } = await import("pino");
  const err = (error: Error) => {
    const shown = stdSerializers.err(error);
    return { ...shown, stack: sourceStack(shown.stack) };
  };
  return pino({ name: "runner", level, serializers: { err } });
}
