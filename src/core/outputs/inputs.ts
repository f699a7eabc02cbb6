/** The outputs of other stacks that a run asks for: all of them, or what is missing and why (docs/outputs.md). */
import { sql } from "drizzle-orm";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import { IS_FOREIGN } from "../deployments/provenance.ts";
import type { InputsAnswer, ReportedOutput, WantedInput } from "../runs/outputs.ts";
import type { RunKind } from "../runs/protocol.ts";
import { type NewestOutputs, newestOutputs, type OutputVault, openedOrNull } from "./outputs.ts";
import { type Inputs, keepInputs } from "./planInputs.ts";
import type { outputReaders } from "./schema.ts";
import { variableText } from "./variableText.ts";
import { leaveWord, takeWordBack } from "./waits.ts";

/** The run that asks. A plan of the lane may be applied, so what it is given is kept. */
export type Asking = { runId: string; runKind: RunKind; mode: string; isForeign: boolean };

type Source = { slug: string; stack_key: string } & Joined<SqlRow<typeof outputReaders, "sensitive">> &
  Joined<NewestOutputs>;

/** A value, or why there is none and whether an apply of the stack may bring it. */
type Found = { value: string; secret: boolean } | { why: string; comes: boolean };

type Gathered = {
  environment: Inputs;
  missing: string[];
  /** Stacks to wait for; empty where something else is missing than their apply. */
  waitsFor: string[];
};

/**
 * A plan of the lane that lacks what an apply may bring leaves word, so that its stack is planned again after that.
 * @throws DecryptionError
 */
export async function inputsFor(
  vault: OutputVault,
  asking: Asking,
  wanted: readonly WantedInput[],
): Promise<InputsAnswer> {
  const { runId, runKind, mode } = asking;
  let gathered = await gather(vault, asking, wanted);
  const waits = gathered.waitsFor.length > 0 && mode === "plan";
  if (waits) {
    await leaveWord(vault.db, runId, gathered.waitsFor);
    // The apply may have ended before the word was there.
    gathered = await gather(vault, asking, wanted);
  }
  const { environment, missing } = gathered;
  if (missing.length > 0) return { environment: [], missing, waits };
  const isKept = mode !== "plan_unlocked" && mode !== "drift" && runKind !== "raw_run";
  if (!isKept) return { environment, missing, waits: false };
  await takeWordBack(vault.db, runId);
  return { environment: await keepInputs(vault, runId, environment), missing, waits: false };
}

async function gather(vault: OutputVault, asking: Asking, wanted: readonly WantedInput[]): Promise<Gathered> {
  const sources = await readSources(vault, asking.runId, [...new Set(wanted.map(({ from_stack }) => from_stack))]);
  const outputs = new Map<string, ReportedOutput[] | null>();
  for (const { slug, run_id, sealed } of sources.values()) {
    if (run_id !== null) outputs.set(slug, await openedOrNull(vault.keyring, { run_id, sealed }));
  }
  const environment: Inputs = [];
  const missing: string[] = [];
  const waitsFor = new Set<string>();
  let comes = true;
  for (const { variable, from_stack, output } of wanted) {
    const source = sources.get(from_stack);
    const found = givenValue(source, outputs.get(from_stack) ?? null, output, asking.isForeign);
    if ("value" in found) {
      environment.push({ name: variable, ...found });
      continue;
    }
    missing.push(`output ${output} of stack ${from_stack}: ${found.why}`);
    comes &&= found.comes;
    if (source !== undefined) waitsFor.add(source.stack_key);
  }
  return { environment, missing, waitsFor: comes ? [...waitsFor] : [] };
}

function givenValue(
  source: Source | undefined,
  outputs: readonly ReportedOutput[] | null,
  name: string,
  isForeign: boolean,
): Found {
  const refused = (why: string) => ({ why, comes: false });
  const awaited = (why: string) => ({ why, comes: true });
  // A stack that is not there, and one that does not give: nobody learns which.
  if (source === undefined || source.sensitive === null) return refused("the stack gives this one no outputs");
  if (source.run_id === null) return awaited("the stack was not applied yet");
  if (outputs === null) return awaited("its last apply has told no outputs");
  const output = outputs.find((each) => each.name === name);
  const value = output === undefined ? null : variableText(output.value);
  if (output === undefined || value === null) return awaited("its last apply left no such output");
  if (output.sensitive && !source.sensitive)
    return refused("it is sensitive, and the stack does not give this one what is sensitive");
  if (output.sensitive && isForeign) return refused("it is sensitive, and this code is foreign");
  return { value, secret: output.sensitive };
}

async function readSources({ db }: OutputVault, runId: string, slugs: readonly string[]): Promise<Map<string, Source>> {
  const rows = await db.execute<Source>(sql`
    select s.slug, s.stack_key, g.sensitive, a.run_id, a.deployment_id, a.completed_at, a.sealed
    from runs asking join deployments ad on ad.id = asking.deployment_id
    join stacks s on s.org_id = asking.org_id and s.slug = any (${sql.param([...slugs])}::text[])
      and s.deleted_at is null
    left join output_readers g on g.stack_key = s.stack_key and g.reader_key = ad.stack_key
    left join lateral (${newestOutputs}) a on true
    where asking.id = ${runId}`);
  return new Map(rows.map((row) => [row.slug, row]));
}

/** Over `caller c`: what is asked for by a run, for the statement that admits its runner. */
export const askingColumns = sql`d.mode as asking_mode, ${IS_FOREIGN} as is_foreign
  from caller c left join runs r on r.id = c.run_id left join deployments d on d.id = r.deployment_id
  left join pull_requests q on q.id = d.pull_request_id`;
