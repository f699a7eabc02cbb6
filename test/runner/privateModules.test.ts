/** Private modules and submodules of the repository's owner, with real git and a real engine. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { PrivateGitHost } from "../support/privateGitHost.ts";
import {
  applyContext,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

const CLONE = "ghs_cl0ne-of-one-repository";
const OWNER = "ghs_0wner-of-all-repositories";

let service: ScriptedService;
let runner: RunnerProcess;
let host: PrivateGitHost;
let world: string;
let commit: string;

beforeEach(async () => {
  service = await new ScriptedService().start();
  host = await new PrivateGitHost().start();
  host.logins.set(CLONE, "/acme/infra.git/").set(OWNER, "/acme/");
  world = temporaryDirectory("world");
  runner = new RunnerProcess(service, { PATH: recordedPath(), RUNNER_GIT_ALLOW_PROTOCOL: "http" });
});
afterEach(async () => {
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await Promise.all([service.stop(), host.stop()]);
});
afterAll(removeTemporaryDirectories);

/** Programs that write down how they were called before they do their work. */
function recordedPath(): string {
  const folder = temporaryDirectory("recorded");
  for (const name of ["git", "terraform", "tofu", "cat", "sh"]) {
    const places = (process.env.PATH ?? "").split(path.delimiter);
    const found = places.map((place) => path.join(place, name)).find((file) => existsSync(file));
    if (found === undefined) continue;
    const note = `{ printf '%s ' "$0" "$@"; echo; env; } >> '${world}/spawned'`;
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${note}\nexec ${found} "$@"\n`);
    chmodSync(path.join(folder, name), 0o755);
  }
  return `${folder}${path.delimiter}${process.env.PATH}`;
}

const module = (name: string, source: string) => `module "${name}" {\n  source = "${source}"\n}\n`;

function stack(...modules: string[]): Record<string, string> {
  const left = `env > ${world}/env; tar -cf ${world}/left.tar -C \\"$HOME/..\\" .; env`;
  const command = `provisioner "local-exec" {\n    command = "${left}"\n  }`;
  const backend = `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;
  return { "main.tf": `${backend}${modules.join("")}resource "terraform_data" "leaves" {\n  ${command}\n}\n` };
}

const NET = { "net/main.tf": 'output "name" {\n  value = "of a private module"\n}\n' };

function context(change: (context: RunContext) => void = () => {}): RunContext {
  return runContext({ url: `${host.url}/acme/infra.git`, commit }, "plan_run", (run) => {
    run.scm_credentials = {
      username: "x-access-token",
      password: CLONE,
      owner: { username: "x-access-token", password: OWNER },
    };
    change(run);
  });
}

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

/** Everything that was said or stored about these runs, and everything that their programs could see. */
function traces(...runs: ScriptedRun[]): string {
  const ofRuns = runs.flatMap((run) => [run.log, String(run.live?.bytes), JSON.stringify(run.done), ...artifacts(run)]);
  const files = ["spawned", "env", "left.tar"].map((name) => path.join(world, name)).filter(existsSync);
  const left = files.map((file) => readFileSync(file, "latin1"));
  return [...ofRuns, ...left, ...host.seen, JSON.stringify(runner.lines), runner.stderr].join("\n");
}

const artifacts = (run: ScriptedRun) => [...run.artifacts.values()].map((bytes) => bytes.toString("latin1"));

function expectNoLogin(text: string): void {
  for (const password of [CLONE, OWNER]) {
    for (const form of [password, Buffer.from(`x-access-token:${password}`).toString("base64")])
      expect(text.includes(form), form).toBe(false);
  }
}

describe("modules of the same owner", () => {
  test("are fetched in plan and apply, by their addresses for HTTPS and SSH, and the login is left nowhere", async () => {
    host.repository("acme/modules", NET);
    const by = (address: string) => `git::${address}//net?ref=v1`;
    commit = host.repository(
      "acme/infra",
      stack(
        module("http", by(`${host.url}/acme/modules.git`)),
        module("ssh", by("ssh://git@127.0.0.1/acme/modules.git")),
        module("scp", "git@127.0.0.1:acme/modules.git//net?ref=v1"),
      ),
    );
    const plan = await ended(service.offer(context()));
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    const apply = await ended(service.offer(applyContext(plan)));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(host.passwordsFor("/acme/modules.git").sort()).toEqual([OWNER, null].sort());
    expect(host.passwordsFor("/acme/infra.git")).toEqual([CLONE]);
    const text = traces(plan, apply);
    // The recorders were there, and what a provisioner finds has no configuration of ours either.
    expect(text).toMatch(/^\S*\/git clone /m);
    expect(text).toContain("modules.gitconfig");
    expect(readFileSync(path.join(world, "env"), "utf8")).not.toContain("GIT_CONFIG");
    expect(readFileSync(path.join(world, "left.tar"), "latin1")).not.toContain("gitconfig");
    expect(host.seen).toEqual([]);
    expectNoLogin(text);
  }, 120_000);

  test("and another owner's at the same host, or the same at another port, get nothing", async () => {
    const other = await new PrivateGitHost().start();
    try {
      host.logins.set(OWNER, "/");
      other.logins.set(OWNER, "/");
      host.repository("acmeevil/modules", NET);
      other.repository("acme/modules", NET);
      for (const address of [`${host.url}/acmeevil/modules.git`, `${host.url}/acme/../acmeevil/modules.git`]) {
        const name = `acme/${crypto.randomUUID()}`;
        commit = host.repository(name, stack(module("a", `git::${address}//net?ref=v1`)));
        const plan = await ended(service.offer(context((run) => pointTo(run, name))));
        expect(plan.done, plan.log).toMatchObject({ status: "failure" });
      }
      commit = host.repository("acme/ports", stack(module("a", `git::${other.url}/acme/modules.git//net?ref=v1`)));
      const plan = await ended(service.offer(context((run) => pointTo(run, "acme/ports"))));
      expect(plan.done, plan.log).toMatchObject({ status: "failure" });
      expect(host.passwordsFor("/acmeevil/")).toEqual([null]);
      expect(other.passwordsFor("/")).toEqual([null]);
    } finally {
      await other.stop();
    }
  }, 120_000);

  test("and a redirect to another origin takes no credentials there, of a repository or of a module", async () => {
    const other = await new PrivateGitHost().start();
    try {
      for (const password of [CLONE, OWNER]) other.logins.set(password, "/");
      other.repository("acme/moved", NET);
      const moved = other.repository("acme/away", stack());
      host.redirects.set("/acme/moved.git", `${other.url}/acme/moved.git`);
      host.redirects.set("/acme/away.git", `${other.url}/acme/away.git`);
      commit = host.repository("acme/follows", stack(module("a", `git::${host.url}/acme/moved.git//net?ref=v1`)));
      const modules = await ended(service.offer(context((run) => pointTo(run, "acme/follows"))));
      expect(modules.done, modules.log).toMatchObject({ status: "failure" });
      commit = moved;
      const repository = await ended(service.offer(context((run) => pointTo(run, "acme/away"))));
      expect(repository.done, repository.log).toMatchObject({ status: "failure" });
      expect(host.passwordsFor("/acme/moved.git")).toContain(OWNER);
      expect(other.passwordsFor("/").filter((password) => password !== null)).toEqual([]);
    } finally {
      await other.stop();
    }
  }, 120_000);

  test("a context that arranges git itself keeps its own way", async () => {
    host.repository("acme/modules", NET);
    commit = host.repository("acme/infra", stack(module("a", `git::${host.url}/acme/modules.git//net?ref=v1`)));
    host.logins.set("of-the-context", "/acme/");
    const helper = "!f() { echo username=git; echo password=of-the-context; }; f";
    const variables = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "credential.helper", GIT_CONFIG_VALUE_0: helper };
    const environment = Object.entries(variables).map(([name, value]) => ({ name, value, secret: false }));
    const plan = await ended(service.offer(context((run) => void Object.assign(run, { environment }))));
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    expect(plan.log).toContain("Modules are fetched with what GIT_CONFIG_KEY_0 gives git");
    expect(host.passwordsFor("/acme/modules.git")).not.toContain(OWNER);
  }, 60_000);
});

function pointTo(run: RunContext, name: string): void {
  if (run.source.type === "git") run.source.repository_url = `${host.url}/${name}.git`;
  if (run.scm_credentials !== null) run.scm_credentials.password = OWNER;
}

describe("submodules of the same owner", () => {
  const withSubmodules = (commitOf: string) =>
    host.repository("acme/infra", stack(module("a", "./by-http/net"), module("b", "./by-ssh/net")), {
      "by-http": { url: "../sub.git", commit: commitOf },
      "by-ssh": { url: "git@127.0.0.1:acme/sub.git", commit: commitOf },
    });

  test("are fetched over HTTP with the owner's login, in a pull request of the repository itself too", async () => {
    commit = withSubmodules(host.repository("acme/sub", NET));
    const ofRequest = (run: RunContext) => void Object.assign(run.source, { pull_request: 7 });
    for (const change of [() => {}, ofRequest]) {
      const plan = await ended(service.offer(context(change)));
      expect(plan.done, plan.log).toMatchObject({ status: "success" });
      expectNoLogin(traces(plan));
    }
    expect(host.passwordsFor("/acme/sub.git").sort()).toEqual([OWNER, null].sort());
    expect(host.seen).toEqual([]);
  }, 120_000);

  test("and modules are asked for without any login for a fork's preview, which fails", async () => {
    const sub = host.repository("acme/sub", NET);
    const fork = (run: RunContext) => {
      delete run.scm_credentials?.owner;
      Object.assign(run.source, { pull_request: 7 });
    };
    host.logins.set(CLONE, "/acme/");
    commit = withSubmodules(sub);
    const first = await ended(service.offer(context(fork)));
    expect(first.done?.error).toContain("The submodules cannot be fetched");
    commit = host.repository("acme/modular", stack(module("a", `git::${host.url}/acme/sub.git//net?ref=v1`)));
    const second = await ended(
      service.offer(
        context((run) => {
          Object.assign(run.source, { repository_url: `${host.url}/acme/modular.git` });
          fork(run);
        }),
      ),
    );
    expect(second.done?.error).toMatch(/init failed/);
    expect(host.passwordsFor("/acme/sub.git")).toEqual([null]);
  }, 120_000);
});

test("a commit's message and author are reported where the service asks, without secrets", async () => {
  commit = host.repository("acme/infra", { "main.tf": "" });
  const environment = [{ name: "TF_VAR_region", value: "the new region", secret: true }];
  const describe = (run: RunContext) => {
    Object.assign(run.source, { describe_commit: true });
    Object.assign(run, { environment });
  };
  const [asked, unasked] = [service.offer(context(describe)), service.offer(context())];
  expect((await ended(asked)).done?.commit).toEqual({
    message: "Add the network\n\nFor ***.",
    author: "Ann Author",
  });
  expect((await ended(unasked)).done).not.toHaveProperty("commit");
}, 60_000);
