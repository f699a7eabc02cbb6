/**
 * How far the log of each stage of a deployment reaches now: one statement for any number of deployments, cheap to
 * repeat. Whoever asks again names the chunk up to which it knows the log, and only what came after that is looked at.
 *
 * Offsets never shift under a reader, because what is visible only ever grows at its end:
 * - While a chunk may still come, only the leading sealed chunks and the live one right after them are visible: what
 *   lies behind a gap would move when the gap is filled.
 * - Once nothing more can come the log is final and all of it is visible, gaps skipped: a dead runner seals nothing.
 *   That is so when the runner's tokens have expired, and when another run of the deployment follows, from which moment
 *   the service refuses late chunks (`storeSealed`).
 */
import { sql } from "drizzle-orm";
import type { Reader } from "../../platform/db/client.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import type { DeploymentStatus } from "../deployments/lifecycle.ts";
import type { stages } from "../deployments/schema.ts";

/** A deployment and what of its log the caller knows already: everything before `chunk` of the stage at `position`. */
export type AskedLog = { deploymentId: string; position: number; chunk: number; tailBytes: number };

/** One stage; its log is empty when it has no run. */
export type StageHead = NamedRow<typeof stages, "position" | "kind" | "phase" | "runId"> & {
  deploymentId: string;
  deploymentStatus: DeploymentStatus;
  deploymentOver: boolean;
  stageId: string;
  stageOver: boolean;
  /** Milliseconds since the run ended; null while it has not. */
  overMs: number | null;
  /** Leading chunks that are sealed and without gap, from the asked one on, and their bytes. */
  chunks: number;
  bytes: number;
  /** All chunks from the asked one on, and their bytes. */
  allChunks: number;
  allBytes: number;
  /**
   * The chunk after the leading ones, when it is there and live; its bytes only when there are more than were known.
   */
  tailSize: number | null;
  tail: Buffer | null;
};

/** Stages at and after each asked position, in order. Deployments that are gone are left out. */
export async function readHeads(db: Reader, positions: readonly AskedLog[]): Promise<StageHead[]> {
  return await db.execute<StageHead>(sql`
    select d.id as "deploymentId", d.status as "deploymentStatus", d.completed_at is not null as "deploymentOver",
      s.id as "stageId", s.position, s.kind, s.phase, s.completed_at is not null as "stageOver", s.run_id as "runId",
      (extract(epoch from svc_now() - r.completed_at) * 1000)::float8 as "overMs",
      coalesce(h.chunks, 0) as chunks, coalesce(h.bytes, 0) as bytes,
      coalesce(h.all_chunks, 0) as "allChunks", coalesce(h.all_bytes, 0) as "allBytes",
      t.size as "tailSize",
      case when t.size > case when s.position = w.position and h.chunks = 0 then w."tailBytes" else 0 end
        then t.live_bytes end as tail
    from jsonb_to_recordset(${JSON.stringify(positions)}::jsonb)
      as w ("deploymentId" uuid, position int, chunk int, "tailBytes" int)
    join deployments d on d.id = w."deploymentId"
    join stages s on s.deployment_id = d.id and s.position >= w.position
    left join runs r on r.id = s.run_id
    left join lateral (select case when s.position = w.position then w.chunk else 0 end as chunk) known on true
    left join lateral (
      select count(*) filter (where gapless)::int as chunks, coalesce(sum(size) filter (where gapless), 0)::float8 as bytes,
        count(*)::int as all_chunks, coalesce(sum(size), 0)::float8 as all_bytes
      from (
        select size, bool_and(sealed and chunk_index = place) over (order by chunk_index) as gapless
        from (
          select l.chunk_index, l.sealed, l.size, known.chunk + row_number() over (order by l.chunk_index) - 1 as place
          from log_chunks l where l.run_id = r.id and l.chunk_index >= known.chunk
        ) placed
      ) judged
    ) h on true
    left join log_chunks t on t.run_id = r.id and t.chunk_index = known.chunk + h.chunks and not t.sealed
    order by d.id, s.position`);
}

/** A stage's log as readers see it. */
export type StageLog = Pick<StageHead, "stageId" | "position" | "kind" | "phase" | "runId"> & {
  /** Leading sealed chunks and their bytes: these never change. */
  sealedChunks: number;
  sealedBytes: number;
  /** Bytes of the live chunk after them. */
  tailBytes: number;
  /** Bytes a reader may see. */
  size: number;
  /** Nothing more can come. */
  final: boolean;
  /**
   * It has ended, and a part of it never came: what follows is left out, and joined to what was before once it is
   * final.
   */
  gaps: boolean;
  /** The stage is over and nothing more is expected: the time to stop waiting. */
  ended: boolean;
};

/** Beyond the life of a runner's token: a call that was let in just before it expired may still be storing. */
const STORING_MS = 60_000;
/**
 * A run that the service ended is told so by its next status call, and its runner then seals the rest: some seconds.
 */
const LINGER_MS = 10_000;

/**
 * What is visible of a stage.
 * @param known what was visible before of the same stage; the head was asked from `known.sealedChunks` on
 * @param followed whether a later stage has a run
 * @param graceMs how long a runner's token works after its run ended
 */
export function stageLog(
  head: StageHead,
  known: Pick<StageLog, "sealedChunks" | "sealedBytes" | "gaps"> | undefined,
  followed: boolean,
  graceMs: number,
): StageLog {
  const { stageId, position, kind, phase, runId, overMs } = head;
  const sealedChunks = (known?.sealedChunks ?? 0) + head.chunks;
  const sealedBytes = (known?.sealedBytes ?? 0) + head.bytes;
  const over = runId === null ? head.stageOver : overMs !== null;
  const final = over && (runId === null || followed || (overMs ?? 0) >= graceMs + STORING_MS);
  const tailBytes = head.tailSize ?? 0;
  const size = final ? (known?.sealedBytes ?? 0) + head.allBytes : sealedBytes + tailBytes;
  const settled = head.allChunks === head.chunks;
  const ended = over && head.stageOver && (final || settled || (overMs ?? 0) >= LINGER_MS);
  // Chunks behind one that did not come; the live one is the last of what is whole.
  const behind = head.allChunks > head.chunks + (head.tailSize === null ? 0 : 1);
  const gaps = ended && (behind || (known?.gaps ?? false));
  return { stageId, position, kind, phase, runId, sealedChunks, sealedBytes, tailBytes, size, final, gaps, ended };
}
