/** A stack whose state is kept here, and real engines that work on it with a person's or account's token. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Grant } from "./peopleApi.ts";
import { TOOL, temporaryDirectory } from "./runnerProcess.ts";
import { peopleTest } from "./test.ts";

export type Ended = { code: number | null; output: string };

const READ: Grant = ["stack", "read_state"];
const WRITE: Grant = ["stack", "write_state"];

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const { sql } = api.database;
  const orgId = await api.makeOrg();
  const writer = await api.makeAccount(orgId, [READ, WRITE, ["stack", "delete"], ["stack", "read"]]);
  const reader = await api.makeAccount(orgId, [READ]);
  const other = await api.makeAccount(orgId, [
    ["stack", "read"],
    ["stack", "update"],
    ["stack", "deploy"],
  ]);
  let made = 0;

  async function makeStack(settings: Record<string, string> = {}) {
    made += 1;
    const slug = `s-${made}`;
    const [row] = await sql`
      insert into stacks (org_id, slug, name, repository_url, branch, state_mode)
      values (${orgId}, ${slug}, ${slug}, 'https://git.example/r', 'main', ${settings.state_mode ?? "auto"}) returning stack_key`;
    const path = `/api/v1/orgs/${orgId}/stacks/${slug}`;
    return { slug, stackKey: row?.stack_key as string, path, address: `${api.baseUrl}${path}/state` };
  }

  /** Rows of a stack's whole versions, oldest first. */
  const versions = (stackKey: string) =>
    sql`select * from state_versions where stack_key = ${stackKey} and number is not null order by number`;

  const basic = (token: string) => `Basic ${Buffer.from(`any:${token}`).toString("base64")}`;

  /** As an engine calls it. */
  async function send(
    stack: { address: string },
    method: string,
    at = "",
    options: { token?: string; body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
  ) {
    const { token = writer.token, body, headers } = options;
    const answer = await fetch(stack.address + at, {
      method,
      headers: {
        authorization: basic(token),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const json = text.startsWith("{") ? JSON.parse(text) : undefined;
    return { status: answer.status, headers: answer.headers, text, body: json };
  }

  const lock = (stack: { address: string }, ID: string, options: Parameters<typeof send>[3] = {}) =>
    send(stack, "LOCK", "/lock", { body: JSON.stringify({ ID, Operation: "test", Who: "somebody" }), ...options });
  const unlock = (stack: { address: string }, ID: string, options: Parameters<typeof send>[3] = {}) =>
    send(stack, "UNLOCK", "/lock", { body: JSON.stringify({ ID }), ...options });

  /** Locked, written and unlocked, as an engine does it. */
  async function push(stack: { address: string }, state: object | string) {
    expect((await lock(stack, "push")).status).toBe(200);
    const body = typeof state === "string" ? state : JSON.stringify(state);
    const answer = await send(stack, "POST", "?ID=push", { body });
    await unlock(stack, "push");
    return answer;
  }

  return { orgId, writer, reader, other, makeStack, versions, send, lock, unlock, push, basic };
});

export const state = (serial: number, more: object = {}) => ({
  version: 4,
  terraform_version: "1.11.4",
  serial,
  lineage: "8f0b0f4e-2a1c-4a55-9d2f-6f2d7a0c3a11",
  outputs: {},
  resources: [],
  ...more,
});

/** A directory with a configuration, in which an engine keeps its state at an address. */
export class EngineFolder {
  readonly cwd = temporaryDirectory("engine");
  readonly #env: Record<string, string>;

  constructor(
    files: Record<string, string>,
    stack: { address: string },
    token: string,
    env: Record<string, string> = {},
  ) {
    mkdirSync(join(this.cwd, "home"));
    this.write(files);
    this.#env = {
      PATH: process.env.PATH ?? "",
      HOME: join(this.cwd, "home"),
      CHECKPOINT_DISABLE: "1",
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      TF_CLI_CONFIG_FILE: join(this.cwd, "cli.tfrc"),
      TF_HTTP_ADDRESS: stack.address,
      TF_HTTP_LOCK_ADDRESS: `${stack.address}/lock`,
      TF_HTTP_UNLOCK_ADDRESS: `${stack.address}/lock`,
      TF_HTTP_USERNAME: "any",
      TF_HTTP_PASSWORD: token,
      TF_HTTP_RETRY_MAX: "0",
      ...env,
    };
    writeFileSync(join(this.cwd, "cli.tfrc"), "disable_checkpoint = true\n");
  }

  write(files: Record<string, string>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.cwd, name), content);
  }

  start(...args: string[]): { child: ChildProcess; ended: Promise<Ended> } {
    const child = spawn(TOOL, args, { cwd: this.cwd, env: this.#env, detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
    const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, output })));
    return { child, ended };
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  /** That ends well. */
  async does(...args: string[]): Promise<string> {
    const { code, output } = await this.run(...args);
    expect(code, output).toBe(0);
    return output;
  }
}

export const BACKEND = 'terraform {\n  backend "http" {}\n}\n';
export const resource = (name: string, input = name) =>
  `resource "terraform_data" "${name}" {\n  input = ${JSON.stringify(input)}\n}\n`;
