import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { RunLog } from "./runLog.ts";
import { secretForms } from "./secretForms.ts";

test("whatever is added to the list of secrets is hidden from then on, in notes and in streams that are open", () => {
  const scratch = mkdtempSync(path.join(tmpdir(), "run-log-"));
  const forms = secretForms(["known-from-the-start"]);
  const log = new RunLog(path.join(scratch, "log"), forms, 65_536);
  try {
    const open = log.stream(secretForms(["sensitive-in-the-plan"]));
    for (const later of ["an-input-of-another-stack", "a-token-that-was-renewed"]) {
      forms.push(...secretForms([later]));
      log.note(`it is ${later}`);
      open.write(Buffer.from(`${later}, known-from-the-start, sensitive-in-the-plan\n`));
    }
    open.end();
    expect(log.read(0).toString().split("\n").filter(Boolean).sort()).toEqual([
      "***, ***, ***",
      "***, ***, ***",
      "==> it is ***",
      "==> it is ***",
    ]);
  } finally {
    log.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
