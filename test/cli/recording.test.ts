/** The recordings of the README and the manual are what the program shows. */
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { DOWN, ENTER } from "../support/cliProgram.ts";
import { cliTest as test } from "../support/cliTest.ts";
import { manualBlocks } from "../support/manual.ts";

const CHANGES = [
  { address: 'terraform_data.subnet["eu 2"]', action: "destroy", before: { input: "b" }, after: null },
  { address: "terraform_data.vpc", action: "change", before: { input: "vpc-1" }, after: { input: "vpc-2" } },
];
const ACTIONS = { destroy: ["delete"], change: ["update"] } as const;
const lines = CHANGES.map((change) =>
  JSON.stringify({
    ...{ kind: "resource", type: "terraform_data", provider: "terraform.io/builtin/terraform" },
    ...{ ...change, actions: ACTIONS[change.action as keyof typeof ACTIONS] },
  }),
);
const SUMMARY = {
  has_changes: true,
  counts: { add: 0, change: 1, destroy: 1, replace: 0, import: 0, forget: 0, move: 0 },
  gaps: [],
};

test("deploy up, from the call to the end", async ({ world }) => {
  const stack = await world.stack();
  const program = world.start(["up", stack], { terminal: true, env: { NO_COLOR: "1" } });
  const plan = await world.nextRun();
  await plan.seal(0, Buffer.from("==> Running terraform plan\nPlan: 0 to add, 1 to change, 1 to destroy.\n"));
  await plan.upload("plan", Buffer.from("plan"));
  await plan.upload("changes", Buffer.from(`${lines.join("\n")}\n`));
  await plan.done({ status: "success", plan_summary: SUMMARY });
  await program.sees(/Yes, apply them/);
  program.type(DOWN);
  await program.sees(/● Yes/);
  program.type(ENTER);
  await world.apply({ status: "success" }, "==> Running terraform apply\nApply complete!\n");
  expect(await program.exited).toBe(EXIT.done);
  const shown = program.screen.replaceAll(stack, "network").split("\n");
  const recordings = manualBlocks().filter(({ code }) => code.startsWith("$ deploy up"));
  expect(recordings).toHaveLength(2);
  for (const { page, code } of recordings) {
    // In the same order, whatever is left out at `...`; ids and addresses are the reader's own.
    let from = 0;
    for (const line of code.trimEnd().split("\n").slice(1)) {
      if (line === "..." || line.includes("019f6a52") || line.trim() === "") continue;
      const at = shown.findIndex((each, index) => index >= from && each.trim() === line.trim());
      expect([page, line, at >= from ? "shown" : shown.slice(from)]).toEqual([page, line, "shown"]);
      from = at + 1;
    }
  }
  expect(program.screen).toMatch(/: applied\n/);
});
