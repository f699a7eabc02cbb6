import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApplyOutput } from "./applyOutput.ts";
import { HeldPlanText } from "./heldPlanText.ts";
import { progressOf } from "./progressLines.ts";
import { RunLog } from "./runLog.ts";

let directory: string;
let log: RunLog;
const logged = () => log.read(0).toString();

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "held-"));
  log = new RunLog(path.join(directory, "run.log"), [], 1_000_000);
});
afterEach(() => {
  log.close();
  rmSync(directory, { recursive: true });
});

function output(makesSensitive: boolean) {
  return new ApplyOutput(directory, log, {
    known: [Buffer.from("known-one")],
    makesSensitive,
    addresses: new Set(["a.b"]),
  });
}
function write(to: ApplyOutput, text: string, size: number): void {
  for (let at = 0; at < text.length; at += size) to.stdout.write(Buffer.from(text.slice(at, at + size)));
}

const TEXT =
  'a.b: Creating...\na.b (local-exec): made-it\na.b: Creation complete after 1s [id=made-it]\n\nOutputs:\n\no = "made-it known-one"\n';

test.each([1, 3, 7, 1_000])("outputs and errors wait for the new state, in pieces of %i", (size) => {
  const held = output(false);
  write(held, TEXT, size);
  held.stderr.write(Buffer.from("Error: made-it\n"));
  expect(logged()).toMatch(/^a\.b: Creating.*\[id=made-it\]\n\n(Outputs:\n)?$/s);
  expect(logged()).not.toMatch(/Error|o = /);
  held.stdout.end();
  held.release([Buffer.from("made-it")]);
  held.release(null);
  expect(logged()).toContain('Outputs:\n\no = "*** ***"\nError: ***\n');
  expect(readdirSync(directory)).toEqual(["run.log"]);
});

test.each([1, 3, 7, 1_000])(
  "where the apply makes a sensitive value its progress is all that is shown at once, in pieces of %i",
  (size) => {
    const held = output(true);
    write(held, TEXT, size);
    held.stdout.end();
    expect(logged()).toBe("a.b: Creating...\na.b: Creation complete after 1s\n");
    held.release([Buffer.from("made-it")]);
    expect(logged()).toContain(
      '==> Held until the new state was read:\na.b (local-exec): ***\n\nOutputs:\n\no = "*** ***"\n',
    );
  },
);

test("without the new state errors are shown where nothing can have come about, and left out where it can", () => {
  const before = output(true);
  before.stderr.write(Buffer.from("Error: the state is locked for known-one\n"));
  before.release(null);
  expect(logged()).toBe("Error: the state is locked for ***\n");
  const after = output(true);
  write(after, "x.y: Creating...\n", 5);
  after.stderr.write(Buffer.from("Error: made-it\n"));
  after.stdout.end();
  after.release(null);
  expect(logged()).not.toContain("made-it");
  expect(logged()).toContain(
    "Left out: the apply's errors, since the state that says which values are sensitive cannot be read.",
  );
});

test.each([
  ["a.b: Creating...", "a.b: Creating..."],
  ["a.b: Modifying... [id=made-it]", "a.b: Modifying..."],
  ["a.b: Still creating... [10s elapsed]", "a.b: Still creating... [10s elapsed]"],
  ["a.b: Still destroying... [id=made-it, 1m10s elapsed]", "a.b: Still destroying... [1m10s elapsed]"],
  ["a.b: Destruction complete after 0s", "a.b: Destruction complete after 0s"],
  ["a.b: Provisioning with 'local-exec'...", "a.b: Provisioning with 'local-exec'..."],
  ["a.b (local-exec): made-it: Creating...", null],
  ["a.b: made-it: Creating...", null],
  ["a.b: Creating... made-it", null],
  ["a.c: Creating...", null],
  ["a.b: Still creating... [id=made-it elapsed]", "a.b: Still creating..."],
])("%s", (line, shown) => {
  expect(progressOf(line, new Set(["a.b"]))).toBe(shown);
});

test("a plan's output waits, and the log says that there is some", () => {
  vi.useFakeTimers();
  try {
    const held = new HeldPlanText(directory, log);
    held.stdout.write(Buffer.from("one secret-1\ntwo\n"));
    held.stderr.write(Buffer.from("Error: secret-1\n"));
    vi.advanceTimersByTime(10_000);
    expect(logged()).toBe("==> Still planning after 10 s: 3 lines, shown once the plan was read\n");
    held.release({ text: null, errors: [Buffer.from("secret-1")] });
    vi.advanceTimersByTime(60_000);
    expect(logged().split("\n").slice(1)).toEqual([
      "Error: ***",
      "==> The plan's text is left out: which of its values are sensitive is not known.",
      "",
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test("output that has no room is left out, and the log says so", () => {
  const held = new HeldPlanText(path.join(directory, "nowhere"), log);
  held.stdout.write(Buffer.from("text\n"));
  held.release({ text: [], errors: [] });
  expect(logged()).toContain("The rest of the plan's output is left out: there was no room for it.");
});
