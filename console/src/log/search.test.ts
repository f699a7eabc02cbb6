import fc from "fast-check";
import { expect, test } from "vitest";
import { LineIndex } from "./lineIndex.ts";
import { marked, Search } from "./search.ts";

const encoder = new TextEncoder();

function found(index: LineIndex, text: string): number[] {
  const search = new Search(index, text);
  while (search.step());
  return [...search.found.all()];
}

test("finds each line that has the text, and no other", () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[abÄé ]{0,6}$/), { maxLength: 30 }),
      fc.constantFrom("a", "ab", "ä", "É a"),
      (lines, text) => {
        const index = new LineIndex();
        index.append(encoder.encode(lines.map((line) => `${line}\n`).join("")));
        const exact = text !== text.toLowerCase();
        const expected = lines.flatMap((line, at) => ((exact ? line : line.toLowerCase()).includes(text) ? [at] : []));
        expect(found(index, text)).toEqual(expected);
      },
    ),
  );
});

test("colours inside of a word do not hide it, and a log that grows is searched on", () => {
  const index = new LineIndex();
  index.append(encoder.encode("x\nwo\u001b[1mrd\u001b[0m\n"));
  const search = new Search(index, "word");
  while (search.step());
  index.append(encoder.encode("y\na wor"));
  while (search.step());
  expect([...search.found.all()]).toEqual([1]);
  index.append(encoder.encode("d\nword"));
  search.again(3);
  while (search.step());
  expect([...search.found.all()]).toEqual([1, 3, 4]);
});

test("a hundred megabytes are searched within a moment", () => {
  const index = new LineIndex();
  const line = "2026-11-29T12:00:00Z aws_instance.web[17]: Still creating... [00m10s elapsed] i-0123456789abcdef0 ok\n";
  const chunk = encoder.encode(line.repeat(640));
  while (index.size < 100 * 1_048_576) index.append(chunk);
  index.append(encoder.encode("the needle\n"));
  const started = performance.now();
  expect(found(index, "needle")).toEqual([index.lines - 1]);
  expect(performance.now() - started).toBeLessThan(3_000);
});

test("marks what was searched", () => {
  expect(marked("An error, Error", "error")).toEqual([
    { text: "An ", hit: false },
    { text: "error", hit: true },
    { text: ", ", hit: false },
    { text: "Error", hit: true },
  ]);
  expect(marked("An error, Error", "Error").filter(({ hit }) => hit)).toHaveLength(1);
  expect(marked("none", "")).toEqual([{ text: "none", hit: false }]);
});
