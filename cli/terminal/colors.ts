import pico from "picocolors";
import type { Terminal } from "./terminal.ts";

export type Colors = ReturnType<typeof pico.createColors>;

export function colorsOf({ color }: Terminal): { out: Colors; err: Colors } {
  return { out: pico.createColors(color.out), err: pico.createColors(color.err) };
}
