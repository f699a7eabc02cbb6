/**
 * Simulated runners: the real protocol with real tokens over HTTP, by the reference runner's own client, without an
 * engine.
 */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { importPKCS8, SignJWT } from "jose";
import { GroupApi } from "../../runner/coordinator/groupApi.ts";
import { RunnerApi } from "../../runner/service/runnerApi.ts";
import { ServiceClient } from "../../runner/service/serviceClient.ts";
import type { DoneBody, PollAnswer } from "../../src/core/runs/protocol.ts";
import type { KeyedGroup } from "./rows.ts";

export const CHANGES: DoneBody = {
  status: "success",
  exit_code: 0,
  plan_summary: {
    has_changes: true,
    counts: { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
};
export const NO_CHANGES: DoneBody = {
  status: "success",
  exit_code: 0,
  plan_summary: {
    has_changes: false,
    counts: { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
};
export const APPLIED: DoneBody = { status: "success", exit_code: 0 };
export const FAILED: DoneBody = { status: "failure", exit_code: 1, error: "The engine ended with code 1." };

export type Fleet = {
  /** The coordinator's calls. */
  group: GroupApi;
  /** The calls of the ephemeral runner of one claim. */
  runner(claim: PollAnswer): Promise<RunnerApi>;
  /** A file with a plan of its own, to upload. */
  planFile(): Promise<string>;
  folder: string;
};

/** Signs claims as the group's coordinator does. Tokens live as long as any bench. */
export async function signer({ groupId, privateKeyPem }: KeyedGroup): Promise<(claims: Claims) => Promise<string>> {
  const key = await importPKCS8(privateKeyPem, "ES256");
  return (claims) => {
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ group_id: groupId, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: groupId })
      .setIssuedAt(now)
      .setExpirationTime(now + 86_400)
      .sign(key);
  };
}

type Claims = { token_type: "runner_group" } | { token_type: "runner"; run_id: string; runner_id: string };

/** Runners of one group. */
export async function openFleet(baseUrl: string, group: KeyedGroup, folder: string): Promise<Fleet> {
  const sign = await signer(group);
  const groupToken = await sign({ token_type: "runner_group" });
  return {
    group: new GroupApi(new ServiceClient(baseUrl, () => groupToken), "bubblewrap"),
    async runner({ run_id, runner_id }) {
      const token = await sign({ token_type: "runner", run_id, runner_id });
      return new RunnerApi(new ServiceClient(baseUrl, () => token), runner_id, run_id);
    },
    async planFile() {
      const file = join(folder, `plan-${randomUUID()}`);
      await writeFile(file, randomUUID());
      return file;
    },
    folder,
  };
}

/** Claim the next run, waiting at most this long. @throws when none came */
export async function claimNext({ group }: Fleet, waitSeconds = 20): Promise<PollAnswer> {
  const { assignment } = await group.poll(waitSeconds, AbortSignal.timeout((waitSeconds + 10) * 1000));
  if (assignment === null) throw new Error(`no run came within ${waitSeconds} s`);
  return assignment;
}

/** Execute one claimed run at once and report `result`. */
export async function execute(fleet: Fleet, claim: PollAnswer, result: DoneBody): Promise<void> {
  const runner = await fleet.runner(claim);
  await runner.ready();
  const { run } = await runner.accept();
  if (run.kind !== "apply_run" && result.status === "success") await runner.putArtifact("plan", await fleet.planFile());
  await runner.done(result);
}
