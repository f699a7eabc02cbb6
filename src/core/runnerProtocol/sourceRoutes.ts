/** `GET /runs/{id}/source`: the archive of a local plan, for the run that plans it and no other. */
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import type { localSources } from "../localSources/schema.ts";
import { sourcePlace } from "../localSources/source.ts";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { NoArtifactError, orDamaged } from "../runnerIdentity/errors.ts";
import { isAccepted } from "../runs/lifecycle.ts";
import type { RunnerDeps } from "./deps.ts";
import { overOr, runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";

export function sourceRoutes(deps: RunnerDeps): Hono {
  return new Hono().get(
    "/:run_id/source",
    ofRunner({
      id: "downloadSource",
      summary: "Read the uploaded archive that the run plans",
      raw: "application/gzip",
      problems: [404, 409],
    }),
    (c) => download(deps, c, c.req.param("run_id")),
  );
}

/** A source that a deployment names is whole: its size and hash are known. */
type SourceRow = RunnerRow &
  Joined<SqlRow<typeof localSources, "object_key"> & { source_id: string; size: string; sha256: string }>;

async function download(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const row = await runnerCall<SourceRow>(
    deps,
    c,
    { run_id },
    ["own", "removed"],
    () => sql`select c.*, u.id as source_id, u.object_key, u.size, u.sha256 from caller c
      left join runs r on r.id = c.run_id
      left join deployments d on d.id = r.deployment_id
      left join local_sources u on u.id = d.local_source_key and u.removed_at is null`,
  );
  if (!isAccepted(row.run_status)) throw overOr(row, "The run was not accepted by this runner.");
  const size = Number(row.size);
  const body =
    row.source_id && (await orDamaged(deps.objects.getSealed(row.object_key, sourcePlace(row.source_id), size)));
  if (!body) throw new NoArtifactError();
  return c.body(Readable.toWeb(body) as unknown as ReadableStream, 200, {
    "content-type": "application/gzip",
    "content-length": String(row.size),
    "cache-control": "no-store",
    "repr-digest": `sha-256=:${Buffer.from(row.sha256, "hex").toString("base64")}:`,
  });
}
