import fc from "fast-check";
import { expect, test } from "vitest";
import { LineIndex } from "./lineIndex.ts";
import { plainText, spansOf } from "./terminal.ts";

const encoder = new TextEncoder();

function indexOf(text: string | Uint8Array, ...cuts: number[]): LineIndex {
  const index = new LineIndex();
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  let at = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    if (cut > at) index.append(bytes.subarray(at, cut));
    at = Math.max(at, cut);
  }
  return index;
}
const linesOf = (index: LineIndex) => Array.from({ length: index.lines }, (_, at) => plainText(index.line(at)));

test("lines, colours, steps and errors are the same whatever the pieces", () => {
  const piece = fc.constantFrom(
    "é",
    "日本",
    "a",
    "\n",
    "\u001b[1m",
    "\u001b[31mred",
    "\u001b[0m",
    "==> Running tofu plan\n",
    "\nError: no\n",
    "│ ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 8 }), (pieces, cuts) => {
      const text = pieces.join("");
      const [whole, cut] = [indexOf(text), indexOf(text, ...cuts)];
      expect(linesOf(cut)).toEqual(linesOf(whole));
      expect(linesOf(whole)).toEqual(
        text === ""
          ? []
          : text
              .replace(/\n$/, "")
              .split("\n")
              .map((line) => plainText(encoder.encode(line))),
      );
      expect([cut.sections, cut.errors]).toEqual([whole.sections, whole.errors]);
      for (let at = 0; at < whole.lines; at++) expect(cut.stateAt(at)).toBe(whole.stateAt(at));
    }),
  );
});

test("colours go on over lines until they are reset, and a new stage begins without them", () => {
  const index = new LineIndex();
  index.beginStage("one");
  index.append(encoder.encode("plain \u001b[31mred\nstill red\u001b[0m\nplain\n\u001b[1mbold"));
  index.beginStage("two");
  index.append(encoder.encode("plain again\n"));
  const spans = (at: number) => spansOf(index.line(at), index.stateAt(at));
  expect(spans(0)).toEqual([
    { text: "plain ", look: "" },
    { text: "red", look: "ansi-red" },
  ]);
  expect(spans(1)).toEqual([{ text: "still red", look: "ansi-red" }]);
  expect(spans(2)).toEqual([{ text: "plain", look: "" }]);
  expect(spans(3)).toEqual([{ text: "bold", look: "bold" }]);
  expect(spans(4)).toEqual([{ text: "plain again", look: "" }]);
});

test("stages and the engine's steps are found, and the first error inside of its box", () => {
  const index = new LineIndex();
  index.beginStage("plan");
  index.append(
    encoder.encode(
      "==> Cloning https://h/r at abc\n==> Using tofu 1.12\n==> Running tofu init\nInitializing\n==> Running tofu plan\n\u001b[31m╷\u001b[0m\n\u001b[31m│\u001b[0m Error: no such thing\n",
    ),
  );
  index.beginStage("apply");
  index.append(encoder.encode("==> Running the command (5 bytes)\nErrors: none\nfatal: gone\n"));
  expect(index.sections).toEqual([
    { kind: "stage", stageId: "plan", title: "", line: 0 },
    { kind: "step", stageId: "plan", title: "Cloning https://h/r at abc", line: 0 },
    { kind: "step", stageId: "plan", title: "tofu init", line: 2 },
    { kind: "step", stageId: "plan", title: "tofu plan", line: 4 },
    { kind: "stage", stageId: "apply", title: "", line: 7 },
    { kind: "step", stageId: "apply", title: "command (5 bytes)", line: 7 },
  ]);
  expect(index.errors).toEqual([6, 9]);
});

test("of a line that overwrites itself the last state is shown; nothing moves the cursor or sets a title", () => {
  expect(plainText(encoder.encode("10%\r50%\r100%\r"))).toBe("100%");
  expect(plainText(encoder.encode("a\u001b[2Kb\u001b]0;title\u0007c\u001b[1Ad\b"))).toBe("abcd");
  expect(plainText(encoder.encode("windows\r"))).toBe("windows");
});

test("a hundred megabytes are indexed within seconds, in compact arrays", () => {
  const index = new LineIndex();
  const line = "2026-11-29T12:00:00Z aws_instance.web[17]: Still creating... [00m10s elapsed] i-0123456789abcdef0 ok\n";
  const chunk = encoder.encode(line.repeat(640));
  const started = performance.now();
  while (index.size < 100 * 1_048_576) index.append(chunk);
  expect(index.lines).toBeGreaterThan(1_000_000);
  expect(performance.now() - started).toBeLessThan(5_000);
});
