/**
 * Artifacts of a run: streamed, hashed and encrypted on the way to the object store; the row that names the object is
 * written last, under a lock on the run (docs/rules/runner-protocol.md#artifacts). The transition that ends the run
 * holds that row too, so what it reads as the plan's digest is final: an upload either came before it or is refused.
 * Uploads at once are named one after the other, so that together they stay within the run's quota.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { bodyStream } from "../../http/requestBody.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import { compressedName } from "../../platform/objects/compression.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { NoArtifactError, orDamaged, RunnerConflictError } from "../runnerIdentity/errors.ts";
import { isAccepted, isRunTerminal } from "../runs/lifecycle.ts";
import { ARTIFACT_KINDS, type ArtifactKind } from "../runs/protocol.ts";
import type { artifacts } from "../runs/schema.ts";
import { artifactPlace } from "../runs/storedPlaces.ts";
import type { RunnerDeps } from "./deps.ts";
import { overOr, runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";

export function artifactRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .put(
      "/:run_id/artifacts/:kind",
      ofRunner({
        id: "uploadArtifact",
        summary: "Store an artifact of a run that goes on",
        rawBody: BYTES,
        problems: [404, 409],
      }),
      (c) => put(deps, c, c.req.param("run_id"), c.req.param("kind")),
    )
    .get(
      "/:run_id/artifacts/:kind",
      ofRunner({
        id: "downloadArtifact",
        summary: "Read an artifact; for an apply run, the plan and the tree are its plan's",
        raw: BYTES,
        problems: [404, 409],
      }),
      (c) => get(deps, c, c.req.param("run_id"), c.req.param("kind")),
    );
}

const BYTES = "application/octet-stream";
/** What engines say in words or JSON. A plan and a tree are compressed already. */
const COMPRESSED = new Set<ArtifactKind>(["changes", "plan-text", "plan-json", "analysis"]);

function kindOf(text: string): ArtifactKind {
  const kind = ARTIFACT_KINDS.find((known) => known === text);
  if (kind === undefined) throw new NotFoundError();
  return kind;
}

/** Store or replace an artifact of a run that is not over. */
async function put(deps: RunnerDeps, c: Context, run_id: string, kindText: string): Promise<Response> {
  const { runner_id, run_status, beside } = await runnerCall<RunnerRow & { beside: number }>(
    deps,
    c,
    { run_id },
    ["own", "removed"],
    () => sql`select c.*, (select coalesce(sum(a.size), 0)::float8 from artifacts a
      where a.run_id = c.run_id and a.kind <> ${kindText}) as beside from caller c`,
  );
  const kind = kindOf(kindText);
  if (!isAccepted(run_status)) throw refusal(run_status);
  if (beside >= deps.artifactBytesPerRun) throw tooManyBytes(deps, beside);
  const name = `runs/${run_id}/artifacts/${kind}/${randomUUID()}`;
  const key = COMPRESSED.has(kind) ? compressedName(name) : name;
  const stored = await deps.objects.putSealed(
    key,
    artifactPlace(run_id, kind),
    bodyStream(c.req.raw, kind === "tree" ? deps.treeBytes : deps.artifactBytes),
  );
  const [named] = await deps.service.db.execute<{ beside: number; named: boolean; replaced: string | null }>(sql`
    with live_run as (
      select id from runs where id = ${run_id} and assigned_runner_id = ${runner_id}
        and status in ('running', 'requested_cancellation', 'cancelling') for no key update
    ), counted as materialized (
      select id, artifact_bytes_beside(id, ${kind})::float8 as beside from live_run
    ), named as (
      insert into artifacts (run_id, kind, object_key, size, sha256, created_at)
      select id, ${kind}, ${key}, ${stored.size}::bigint, ${stored.sha256}, svc_now() from counted
      where beside + ${stored.size}::float8 <= ${deps.artifactBytesPerRun}::float8
      on conflict (run_id, kind) do update
        set object_key = excluded.object_key, size = excluded.size, sha256 = excluded.sha256, created_at = excluded.created_at,
          key_id = null
      returning run_id, old.object_key as replaced
    )
    select c.beside, n.run_id is not null as named, n.replaced from counted c left join named n on n.run_id = c.id`);
  if (!named?.named) {
    await deps.objects.delete(key);
    if (named !== undefined) throw tooManyBytes(deps, named.beside);
    throw new RunnerConflictError("The run ended during the upload.", "run_already_terminal");
  }
  if (named.replaced !== null) await deps.objects.delete(named.replaced);
  return c.body(null, 204);
}

function tooManyBytes({ artifactBytesPerRun }: RunnerDeps, beside: number): QuotaReachedError {
  return new QuotaReachedError("artifact_bytes", artifactBytesPerRun, beside);
}

function refusal(run_status: RunnerRow["run_status"]): RunnerConflictError {
  return overOr({ run_status }, "The run was not accepted by this runner.");
}

type ArtifactRow = RunnerRow & Joined<{ of_run: string } & SqlRow<typeof artifacts, "object_key" | "size" | "sha256">>;

/** A run's own artifact; plan and tree of an apply run are those of the plan that it applies. */
async function get(deps: RunnerDeps, c: Context, run_id: string, kind: string): Promise<Response> {
  const row = await runnerCall<ArtifactRow>(
    deps,
    c,
    { run_id },
    ["own", "removed"],
    () => sql`select c.*, a.run_id as of_run, a.object_key, a.size, a.sha256 from caller c
      left join artifacts a on a.kind = ${kind}
        and a.run_id = case when ${kind} in ('plan', 'tree') and c.run_kind = 'apply_run' then c.plan_run_id else c.run_id end`,
  );
  const known = kindOf(kind);
  if (!isAccepted(row.run_status) && !isRunTerminal(row.run_status)) throw refusal(row.run_status);
  if (row.of_run === null) throw new NoArtifactError();
  const opening = deps.objects.getSealed(row.object_key, artifactPlace(row.of_run, known), Number(row.size));
  const body = await orDamaged(opening);
  if (body === null) throw new NoArtifactError();
  return c.body(Readable.toWeb(body) as unknown as ReadableStream, 200, {
    "content-type": "application/octet-stream",
    "content-length": String(row.size),
    "cache-control": "no-store",
    "repr-digest": `sha-256=:${Buffer.from(row.sha256, "hex").toString("base64")}:`,
  });
}
