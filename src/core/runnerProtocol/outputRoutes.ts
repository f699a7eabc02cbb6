/** `PUT /runs/{id}/outputs` after an apply, and `POST /runs/{id}/inputs` before an engine begins (docs/outputs.md). */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { askingColumns, inputsFor } from "../outputs/inputs.ts";
import { storeOutputs } from "../outputs/outputs.ts";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { RunnerConflictError } from "../runnerIdentity/errors.ts";
import { isAccepted } from "../runs/lifecycle.ts";
import { InputsAnswer, InputsBody, OutputsBody } from "../runs/outputs.ts";
import type { RunnerDeps } from "./deps.ts";
import { overOr, runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";
import { readKnown } from "./runnerRequest.ts";

export function outputRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .put(
      "/:run_id/outputs",
      ofRunner({
        id: "storeOutputs",
        summary: "Say what the apply left as outputs, before its end is reported",
        body: OutputsBody,
        problems: [409],
      }),
      (c) => store(deps, c, c.req.param("run_id")),
    )
    .post(
      "/:run_id/inputs",
      ofRunner({
        id: "takeInputs",
        summary: "Ask for outputs of other stacks: all of them, or what is missing",
        body: InputsBody,
        answer: InputsAnswer,
        problems: [409],
      }),
      (c) => take(deps, c, c.req.param("run_id")),
    );
}

async function store(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const row = await runnerCall(deps, c, { run_id }, ["own"]);
  const { outputs } = await readKnown(c, OutputsBody, deps.metrics, "outputs");
  const { keyring } = deps;
  if (isAccepted(row.run_status) && (await storeOutputs({ db: deps.service.db, keyring }, run_id, outputs)))
    return c.body(null, 204);
  throw overOr(row, "Only an apply at work has outputs to tell.");
}

type AskingRow = RunnerRow & { asking_mode: string; is_foreign: boolean };

async function take(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const row = await runnerCall<AskingRow>(deps, c, { run_id }, ["own"], () => sql`select c.*, ${askingColumns}`);
  if (!isAccepted(row.run_status)) throw overOr(row, "The run was not accepted by this runner.");
  if (row.run_kind === "apply_run") throw new RunnerConflictError("An apply has the inputs of its plan.");
  const { inputs } = await readKnown(c, InputsBody, deps.metrics, "inputs");
  const asking = { runId: run_id, runKind: row.run_kind, mode: row.asking_mode, isForeign: row.is_foreign };
  const answer = await inputsFor({ db: deps.service.db, keyring: deps.keyring }, asking, inputs);
  return c.json(answer, 200, { "cache-control": "no-store" });
}
