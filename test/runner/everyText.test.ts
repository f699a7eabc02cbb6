/**
 * Every way on which a run's text leaves its runner, each with a planted secret in it
 * (docs/rules/secrets.md#every-way-out). A way that is not listed here fails the first tests.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { afterAll, describe, expect, test } from "vitest";
import {
  AcceptBody,
  ARTIFACT_KINDS,
  CommitReport,
  DispatchFailedBody,
  DoneBody,
  DriftReport,
  HeartbeatBody,
  LiveLogBody,
  PlanSummary,
  type RunContext,
} from "../../src/core/runs/protocol.ts";
import { formsIn } from "../support/databaseText.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  TOOL,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";
import { textFields } from "../support/textFields.ts";

const SECRET = `s3cret "${crypto.randomUUID()}"`;
/** As it can stand in an address or a name. */
const WORD = `w0rd-${crypto.randomUUID()}`;

/** Texts of `done` that have a schema of their own, since what they hold never rejects a report. */
const INSIDE: Record<string, unknown> = {
  "done.plan_summary": PlanSummary,
  "done.commit": CommitReport,
  "done.drift": DriftReport,
  // Nothing but true counts.
  "done.on_branch": v.literal(true),
};

const summaryOf = ({ done }: ScriptedRun): PlanSummary => v.parse(PlanSummary, done?.plan_summary);
const commitOf = ({ done }: ScriptedRun): CommitReport => v.parse(CommitReport, done?.commit);

/** Ways with the runs' texts. Each must have carried the planted secret, masked. */
const CARRIED: Record<string, (seen: Seen) => unknown> = {
  "done.error": ({ failed }) => failed.done?.error,
  "done.plan_summary.gaps[]": ({ plan }) => summaryOf(plan).gaps,
  "done.plan_summary.warnings[]": ({ plan }) => summaryOf(plan).warnings,
  "done.commit.message": ({ plan }) => commitOf(plan).message,
  "done.commit.author": ({ plan }) => commitOf(plan).author,
  "live.data": ({ lives }) => lives,
  "logs/chunks bytes": ({ plan }) => plan.log,
  "artifact analysis": ({ plan }) => String(plan.artifacts.get("analysis")),
  "artifact changes": ({ plan }) => String(plan.artifacts.get("changes")),
  "artifact plan-text": ({ plan }) => String(plan.artifacts.get("plan-text")),
};
/** Ways without them, and why. */
const NEVER: Record<string, string> = {
  "artifact plan": "sealed for its apply; nobody is shown it",
  "artifact plan-json": "sealed; nobody is shown it",
  "artifact tree": "sealed for the apply of its plan; nobody is shown it",
  "done.drift.resources[].action": "a word of the runner's own",
  "done.drift.resources[].address":
    "of a check for drift, which none of these runs is; masked (runner/plan/driftReport.test.ts)",
  "dispatch-failed.run_id": "an id of the service",
  "dispatch-failed.runner_id": "an id of the service",
  "dispatch-failed.error": "of a coordinator, which no run's context reaches",
  "heartbeat.version": "of a coordinator, which no run's context reaches",
};
/** Routes by which a runner or coordinator sends a body. */
const BODIES = [
  "/api/v1/runner-groups/dispatch-failed",
  "/api/v1/runner-groups/heartbeat",
  "/api/v1/runs/{run_id}/accept",
  "/api/v1/runs/{run_id}/artifacts/{kind}",
  "/api/v1/runs/{run_id}/done",
  // Names of a declaration, as its commit has them.
  "/api/v1/runs/{run_id}/inputs",
  "/api/v1/runs/{run_id}/logs/chunks/{index}",
  "/api/v1/runs/{run_id}/logs/live",
  // Sealed, and shown by what the outputs themselves are: one that holds a secret is sensitive.
  "/api/v1/runs/{run_id}/outputs",
  // An engine's own calls: a state is sealed and shown to those alone who may read it, a lock names who and where.
  "/api/v1/runs/{run_id}/state",
  "/api/v1/runs/{run_id}/state/lock",
];

type Seen = { plan: ScriptedRun; apply: ScriptedRun; failed: ScriptedRun; command: ScriptedRun; lives: string };

afterAll(removeTemporaryDirectories);

describe("the list is whole", () => {
  test("every text in a body of the protocol is on it", () => {
    const fields = [
      ...textFields(DoneBody, "done"),
      ...textFields(AcceptBody, "accept"),
      ...textFields(LiveLogBody, "live"),
      ...textFields(DispatchFailedBody, "dispatch-failed"),
      ...textFields(HeartbeatBody, "heartbeat"),
    ].flatMap((field) => {
      const name = field.replace(/: unknown$/, "");
      return field === name || INSIDE[name] === undefined ? [field] : textFields(INSIDE[name], name);
    });
    const ways = [...fields, ...ARTIFACT_KINDS.map((kind) => `artifact ${kind}`), "logs/chunks bytes"];
    expect(ways.sort()).toEqual([...Object.keys(CARRIED), ...Object.keys(NEVER)].sort());
  });

  test("every route of runners that takes a body is one of theirs", () => {
    const document = JSON.parse(readFileSync(path.join(import.meta.dirname, "../../docs/openapi.json"), "utf8"));
    const routes = Object.entries<Record<string, { requestBody?: unknown }>>(document.paths).filter(
      ([route, calls]) =>
        /^\/api\/v1\/(runner-groups|runners|runs)\//.test(route) &&
        Object.values(calls).some((call) => call.requestBody !== undefined),
    );
    expect(routes.map(([route]) => route).sort()).toEqual(BODIES);
  });

  test("a field of another kind, and one in a list, would be found", () => {
    expect(textFields(PlanSummary, "s")).toEqual(["s.gaps[]", "s.warnings[]"]);
    expect(textFields({ type: "object", entries: { later: { type: "any" } } }, "s")).toEqual(["s.later: any"]);
  });
});

test("a planted secret is masked in each of them, and in clear text nowhere", async () => {
  const service = await new ScriptedService().start();
  const world = temporaryDirectory("world");
  const runner = new RunnerProcess(service, { [`RUNNER_${TOOL.toUpperCase()}_PATH`]: engineWithMore(world) });
  try {
    const seen = await runsOf(service, world);
    for (const [way, text] of Object.entries(CARRIED)) {
      expect(JSON.stringify(text(seen)) ?? "", way).toContain("***");
    }
    for (const run of [seen.plan, seen.apply, seen.failed, seen.command]) {
      const shown = ["analysis", "changes", "plan-text"].map((kind) => String(run.artifacts.get(kind)));
      const everything = [run.log, JSON.stringify(run.done), ...shown, seen.lives, run.dispatchError, ...run.calls];
      for (const secret of [SECRET, WORD]) {
        expect(formsIn(everything.join("\n"), secret), `${run.context.run.kind}: ${run.log}`).toEqual([]);
      }
    }
    const ownLog = JSON.stringify(runner.lines) + runner.stderr;
    for (const secret of [SECRET, WORD]) expect(formsIn(ownLog, secret)).toEqual([]);
  } finally {
    await runner.stop("SIGINT");
    await service.stop();
  }
});

/** An engine whose plan has a part that nobody knows, by the secret's name. */
function engineWithMore(world: string): string {
  const real = execFileSync("/bin/sh", ["-c", `command -v ${TOOL}`], { encoding: "utf8" }).trim();
  const file = path.join(world, TOOL);
  const script = `#!/bin/sh
case "$1 $2" in "show -json") ${real} "$@" | sed '1s/^{/{"${WORD}":{"x":1},/';; *) exec ${real} "$@";; esac
`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}

function committed(world: string, more: string): { url: string; commit: string } {
  const source = commitFiles({
    "main.tf": `
terraform {
  backend "local" { path = "${world}/terraform.tfstate" }
}
variable "secret" { type = string }
# svc:dependency: from_stack=${WORD}
# svc:dependency: from_stack=base trigger=${WORD}
resource "terraform_data" "shown" { input = { plain = var.secret, json = jsonencode([var.secret]) } }
resource "terraform_data" "each" { for_each = toset(["${WORD}"]) }
resource "terraform_data" "program" {
  provisioner "local-exec" { command = "printf '%s\\n' \\"$TOKEN\\" ${WORD}" }
}
output "shown" { value = terraform_data.shown.output }
${more}`,
  });
  const directory = source.url.replace(/^file:\/\//, "");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: directory, encoding: "utf8" }).trim();
  const person = ["-c", `user.name=${WORD}`, "-c", "user.email=p@example.com"];
  git(...person, "commit", "--quiet", "--allow-empty", `--message=uses ${SECRET} and ${WORD}`);
  return { url: source.url, commit: git("rev-parse", "HEAD") };
}

async function runsOf(service: ScriptedService, world: string): Promise<Seen> {
  const lives: string[] = [];
  const ended = async (context: RunContext) => {
    const run = service.offer(context);
    await service.until(() => {
      lives.push(String(run.live?.bytes ?? ""));
      return run.done !== null;
    });
    return run;
  };
  const planted = (context: RunContext) => {
    context.environment = [
      { name: "TOKEN", value: SECRET, secret: true },
      { name: "TF_VAR_secret", value: SECRET, secret: true },
      { name: "WORD", value: WORD, secret: true },
      { name: `not a name: ${WORD}`, value: "x", secret: false },
    ];
    if (context.source.type === "git") context.source.describe_commit = true;
  };
  const source = committed(world, "");
  const plan = await ended(
    runContext(source, "plan_run", (context) => {
      planted(context);
      const addresses = ["shown", "each", "program", `each["no-${WORD}"]`].map((name) => `terraform_data.${name}`);
      context.run.targets = addresses;
    }),
  );
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  const apply = await ended(applyContext(plan, (context) => Object.assign(context.run, { targets: [] })));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  const broken = `output "failing" {
  value = 1
  precondition {
    condition     = var.secret == ""
    error_message = "no such user: ${"$"}{var.secret}"
  }
}
`;
  const failed = await ended(runContext(committed(world, broken), "plan_run", planted));
  const command = await ended(
    runContext(source, "raw_run", (context) => {
      planted(context);
      context.raw = { script: `printf '%s' "$TOKEN"; ${TOOL} show -json; echo ${WORD} >&2; exit 3` };
    }),
  );
  return { plan, apply, failed, command, lives: lives.join("\n") };
}
