/**
 * Artifacts of a run: streamed, hashed and encrypted on the way to the object store; the row that names the object is
 * written last, under a share lock on the run (docs/rules/runner-protocol.md#artifacts). The transition that ends the
 * run holds that row exclusively, so what it reads as the plan's digest is final: an upload either came before it or
 * is refused.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { bodyStream } from "../../http/requestBody.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
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

function kindOf(text: string): ArtifactKind {
  const kind = ARTIFACT_KINDS.find((known) => known === text);
  if (kind === undefined) throw new NotFoundError();
  return kind;
}

/** Store or replace an artifact of a run that is not over. */
async function put(deps: RunnerDeps, c: Context, run_id: string, kindText: string): Promise<Response> {
  const { runner_id, run_status } = await runnerCall(deps, c, { run_id }, ["own", "removed"]);
  const kind = kindOf(kindText);
  if (!isAccepted(run_status)) throw refusal(run_status);
  const key = `runs/${run_id}/artifacts/${kind}/${randomUUID()}`;
  const stored = await deps.objects.putSealed(
    key,
    artifactPlace(run_id, kind),
    bodyStream(c.req.raw, kind === "tree" ? deps.treeBytes : deps.artifactBytes),
  );
  const [named] = await deps.service.db.execute<{ replaced: string | null }>(sql`
    with live_run as (
      select id from runs where id = ${run_id} and assigned_runner_id = ${runner_id}
        and status in ('running', 'requested_cancellation', 'cancelling') for share
    )
    insert into artifacts (run_id, kind, object_key, size, sha256, created_at)
    select id, ${kind}, ${key}, ${stored.size}::bigint, ${stored.sha256}, svc_now() from live_run
    on conflict (run_id, kind) do update
      set object_key = excluded.object_key, size = excluded.size, sha256 = excluded.sha256, created_at = excluded.created_at,
        key_id = null
    returning old.object_key as replaced`);
  if (named === undefined) {
    await deps.objects.delete(key);
    throw new RunnerConflictError("The run ended during the upload.", "run_already_terminal");
  }
  if (named.replaced !== null) await deps.objects.delete(named.replaced);
  return c.body(null, 204);
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
