import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLines, UnreadableLineError } from "./jsonLines.ts";

async function* pieces(bytes: Buffer, ...cuts: number[]): AsyncGenerator<Buffer, void> {
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(at, Math.max(at, cut));
    at = Math.max(at, cut);
  }
}

async function valuesOf(source: AsyncIterable<Uint8Array>, from = 0, max = 1_000): Promise<[unknown, number][]> {
  const found: [unknown, number][] = [];
  for await (const { value, end } of jsonLines(source, from, max)) found.push([value, end]);
  return found;
}

test("lines come back whatever the pieces, with or without a last end, from the beginning of any of them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.array(fc.nat(200), { maxLength: 6 }),
      fc.boolean(),
      fc.nat(8),
      async (values, cuts, ended, start) => {
        const lines = values.map((value) => JSON.stringify(value));
        const text = Buffer.from(lines.join("\n") + (ended && lines.length > 0 ? "\n" : ""));
        const sorted = cuts.filter((cut) => cut <= text.length).sort((a, b) => a - b);
        const all = await valuesOf(pieces(text, ...sorted), 0, 10_000);
        expect(all.map(([value]) => JSON.stringify(value))).toEqual(lines);
        const from = all[start]?.[1] ?? 0;
        const rest = await valuesOf(pieces(text, ...sorted), from, 10_000);
        expect(rest).toEqual(all.filter(([, end]) => end > from));
      },
    ),
  );
});

test("a line that is too long, with or without its end, and one that is no JSON are refused", async () => {
  await expect(valuesOf(pieces(Buffer.from(`"${"x".repeat(2_000)}"\n`)))).rejects.toThrow(UnreadableLineError);
  await expect(valuesOf(pieces(Buffer.from(`"${"x".repeat(2_000)}`), 500))).rejects.toThrow(UnreadableLineError);
  await expect(valuesOf(pieces(Buffer.from("1\n{")))).rejects.toThrow(UnreadableLineError);
});
