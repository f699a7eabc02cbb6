/** The runner-facing API on a real server, with groups that hold real keys and clients that sign real tokens. */
import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { importPKCS8, SignJWT } from "jose";
import { insertGroup } from "../../bench/harness/rows.ts";
import type { DispatchLimits } from "../../src/core/dispatch/types.ts";
import type { RunnerDeps } from "../../src/core/runnerProtocol/deps.ts";
import { type AppChoices, startApp } from "./app.ts";
import type { TestDatabase } from "./database.ts";
import type { Group, TestService } from "./fixtures.ts";

export type RunnerApi = {
  base: string;
  service: TestService;
  deps: RunnerDeps;
  /** Log lines of errors that became a 500. */
  readonly unexpected: Record<string, unknown>[];
  /** The same application, called in process. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
};

type Choices = Pick<AppChoices, "sources" | "objects" | "keyring" | "timeouts" | "lookEveryMs" | "env"> & {
  limits?: DispatchLimits;
  artifactBytes?: number;
  treeBytes?: number;
};

const NO_LIMITS: DispatchLimits = { rateLimit: false, maxPerOrg: undefined };

export async function startRunnerApi(database: TestDatabase, choices: Choices = {}): Promise<RunnerApi> {
  const { limits: dispatch = NO_LIMITS, artifactBytes = 4_000_000, treeBytes = 4_000_000, ...given } = choices;
  const settings = { dispatch, artifactMaxBytes: artifactBytes, treeMaxBytes: treeBytes };
  const server = await startApp(database, { ...given, settings, hints: true });
  const { app, baseUrl, service, runners, logged, close } = server;
  return {
    base: `${baseUrl}/api/v1`,
    service,
    deps: runners,
    get unexpected() {
      return logged.filter(({ msg }) => msg === "a request failed unexpectedly");
    },
    fetch: async (path, init) => app.request(`/api/v1${path}`, init),
    close,
  };
}

/** A runner group with a key pair; the organization's default one unless it has labels. */
export async function makeGroup(
  { sql }: TestDatabase,
  orgId: string,
  settings: { labels?: Record<string, string>; capacity?: number } = {},
): Promise<Group> {
  const name = `group-${randomUUID().slice(0, 8)}`;
  const { groupId, privateKeyPem } = await insertGroup(sql, orgId, { name, ...settings });
  return { id: groupId, orgId, privateKeyPem };
}

/** Sign `claims` as this group's coordinator does; `iat` and `exp` may be given in them. */
export async function sign(
  group: Pick<Group, "id" | "privateKeyPem">,
  claims: Record<string, unknown>,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ group_id: group.id, iat: now, exp: now + 86_400, ...claims })
    .setProtectedHeader({ alg: "ES256", kid: group.id })
    .sign(await importPKCS8(group.privateKeyPem, "ES256"));
}

export const groupToken = (group: Group) => sign(group, { token_type: "runner_group" });

export type Claimed = { run_id: string; runner_id: string };

/** A coordinator with its group's token. */
export async function coordinator(api: Pick<RunnerApi, "base">, group: Group) {
  const authorization = `Bearer ${await groupToken(group)}`;
  const call = (method: string, path: string, body?: unknown, signal?: AbortSignal) =>
    fetch(`${api.base}/runner-groups/${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  return {
    call,
    poll: (waitSeconds = 0, signal?: AbortSignal) =>
      call("GET", `poll?wait_seconds=${waitSeconds}&isolation=user`, undefined, signal),
    /** Poll and expect a run. */
    async claim(waitSeconds = 0): Promise<Claimed> {
      const answer = await call("GET", `poll?wait_seconds=${waitSeconds}&isolation=user`);
      if (answer.status !== 200) throw new Error(`the poll answered ${answer.status}`);
      return (await answer.json()) as Claimed;
    },
  };
}

/** An ephemeral runner with a token for its run. */
export async function runner(api: Pick<RunnerApi, "base">, group: Group, { run_id, runner_id }: Claimed) {
  const authorization = `Bearer ${await sign(group, { token_type: "runner", run_id, runner_id })}`;
  const call = (method: string, path: string, body?: unknown) => {
    const raw = body instanceof Uint8Array;
    return fetch(`${api.base}${path}`, {
      method,
      headers: { authorization, ...(body === undefined || raw ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: raw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
  };
  return {
    run_id,
    runner_id,
    authorization,
    call,
    ready: () => call("POST", `/runners/${runner_id}/ready`),
    deregister: () => call("DELETE", `/runners/${runner_id}/deregister`),
    /** As a runner of today does; without `protocol` as one of before trees. */
    accept: (body: object = { protocol: 2 }) => call("POST", `/runs/${run_id}/accept`, body),
    status: () => call("GET", `/runs/${run_id}/status`),
    done: (body: unknown) => call("POST", `/runs/${run_id}/done`, body),
    acknowledge: () => call("POST", `/runs/${run_id}/acknowledging-cancel`),
    live: (chunk_index: number, bytes: Uint8Array, sealed_chunks = chunk_index) =>
      call("POST", `/runs/${run_id}/logs/live`, {
        chunk_index,
        sealed_chunks,
        data: gzipSync(bytes).toString("base64"),
      }),
    seal: (index: number, bytes: Uint8Array) => call("PUT", `/runs/${run_id}/logs/chunks/${index}`, bytes),
    upload: (kind: string, bytes: Uint8Array) => call("PUT", `/runs/${run_id}/artifacts/${kind}`, bytes),
    download: (kind: string) => call("GET", `/runs/${run_id}/artifacts/${kind}`),
  };
}

export const PLAN_WITH_CHANGES = {
  status: "success",
  plan_summary: {
    has_changes: true,
    counts: { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
};
