/**
 * Every stored history, of this version and of older ones, replays under the present workflow code
 * (docs/rules/workflows.md#contract-and-replay).
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "@temporalio/worker";
import { beforeAll, expect, inject, it } from "vitest";
import * as workflows from "../../workflows/index.ts";
import { historyFromJson } from "../support/histories.ts";
import { quietRuntime } from "../support/temporal.ts";

const FOLDER = join(import.meta.dirname, "../histories");
type Stored = { name: string; text: string };

let stored: Stored[];
beforeAll(async () => {
  quietRuntime();
  const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith(".json")).sort();
  stored = await Promise.all(files.map(async (name) => ({ name, text: await readFile(join(FOLDER, name), "utf8") })));
});

async function replay(histories: Stored[]): Promise<{ name: string; error: unknown }[]> {
  const results: { name: string; error: unknown }[] = [];
  const options = { workflowBundle: { codePath: inject("workflowBundlePath") } };
  const given = histories.map(({ name, text }) => ({ workflowId: name, history: historyFromJson(JSON.parse(text)) }));
  for await (const { workflowId, error } of Worker.runReplayHistories(options, given))
    results.push({ name: workflowId, error });
  return results;
}

it("replays them all", async () => {
  const results = await replay(stored);
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(results).toHaveLength(stored.length);
});

it("has at least one for each workflow type", () => {
  const types = stored.map(({ text }) => {
    const { events } = historyFromJson(JSON.parse(text));
    return events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;
  });
  expect(new Set(types)).toEqual(new Set(Object.keys(workflows)));
});

it("notices a history that the code would not have made", async () => {
  const [one] = stored.filter(({ name }) => name.endsWith("deployment-database-away.json"));
  const changed = one?.text.replaceAll('"name": "readDeployment"', '"name": "readSomethingElse"') ?? "";
  expect(changed).not.toBe(one?.text);
  const results = await replay([{ name: "changed", text: changed }]);
  expect(String(results[0]?.error)).toMatch(/determinis/i);
});

it("holds nothing of the machine they were made on", () => {
  for (const { name, text } of stored)
    expect(text, name).not.toMatch(/\/(work|home|root|tmp)\/|@[\w-]+-core|127\.0\.0\.1/);
});
