/** `deploy policies list|create|push|test|set`. */
import { readFile } from "node:fs/promises";
import { answerOf } from "../../clients/api/client.ts";
import { errorOf } from "../../clients/api/problem.ts";
import { type Action, sessionOf } from "../context.ts";
import { findDeployment, pathOf } from "../deployments/find.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { Policy } from "../service/types.ts";
import { labelOf } from "../stacks/labels.ts";
import { findPolicy } from "./find.ts";
import { resultText } from "./results.ts";

type Enforcement = Policy["enforcement"];
type Options = { enforcement?: string; label?: string[]; activate?: boolean; at?: string; limit?: string };

const ENFORCEMENTS: readonly string[] = ["shadow", "advisory", "mandatory"] satisfies Enforcement[];
/** By the end of a file's name. */
const KINDS = [
  { end: ".json", path: "", type: "application/json" },
  { end: ".rego", path: "/rego", type: "text/plain" },
  { end: ".tar.gz", path: "/bundle", type: "application/gzip" },
];

export const list: Action<Options> = async (context) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const params = { path: { org_id: session.orgId }, query: { limit: limitOf(options.limit) } };
  const page = await answerOf(session.api.GET("/api/v1/orgs/{org_id}/policies", { params }));
  screen.value(page);
  screen.table<Policy>(page.items, [
    { title: "policy", value: ({ name }) => name },
    { title: "enforcement", value: ({ enforcement }) => enforcement },
    { title: "counts", value: ({ version, kind }) => (version === null ? "none" : `version ${version} (${kind})`) },
    { title: "newest", value: ({ last_version }) => last_version },
    { title: "stacks", value: ({ selector }) => labelText(selector) },
  ]);
  if (page.items.length === 0) screen.note("None.");
  return EXIT.done;
};

function labelText(selector: Record<string, string>): string {
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? "all" : labels.join(",");
}

export const create: Action<Options> = async (context, name) => {
  const session = await sessionOf(context);
  const enforcement = enforcementOf(context.options.enforcement) ?? "shadow";
  const body = {
    name: name ?? "",
    enforcement,
    selector: Object.fromEntries((context.options.label ?? []).map(labelOf)),
  };
  const params = { path: { org_id: session.orgId } };
  const policy = await answerOf(session.api.POST("/api/v1/orgs/{org_id}/policies", { params, body }));
  context.screen.value(policy);
  context.screen.note(`${policy.name}: no version counts yet. deploy policies push ${policy.name} FILE adds one.`);
  return EXIT.done;
};

export const push: Action<Options> = async (context, name, file) => {
  const { options, screen } = context;
  const kind = KINDS.find(({ end }) => file?.endsWith(end));
  if (file === undefined || kind === undefined)
    throw usage(`${file} ends with none of ${KINDS.map(({ end }) => end).join(", ")}.`);
  const session = await sessionOf(context);
  const policy = await findPolicy(session, name ?? "");
  const bytes = await readFile(file);
  const content = kind.path === "" ? JSON.stringify({ rules: rulesIn(bytes, file) }) : new Uint8Array(bytes);
  const { version, digest } = await upload(session, policy, kind, content);
  screen.value({ policy_id: policy.id, version, digest });
  screen.note(`${policy.name}: version ${version}, SHA-256 ${digest}`);
  if (options.activate) await replace(session, { ...policy, version });
  else screen.note(`It does not count yet: deploy policies set ${policy.name} --at ${version}`);
  return EXIT.done;
};

function rulesIn(bytes: Buffer, file: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw usage(`${file} is no JSON.`);
  }
}

async function upload(
  session: Session,
  { id }: Policy,
  { path, type }: (typeof KINDS)[number],
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ version: number; digest: string }> {
  const response = await session.call(`/api/v1/orgs/${session.orgId}/policies/${id}/versions${path}`, {
    method: "POST",
    headers: new Headers({ "content-type": type }),
    body,
  });
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as { version: number; digest: string };
}

export const test: Action<Options> = async (context, name, deployment) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const policy = await findPolicy(session, name ?? "");
  const { stackId, id } = pathOf(await findDeployment(session, deployment, undefined));
  const version = versionOf(options.at);
  const tested = await answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/policies/{policy_id}/test", {
      params: { path: { org_id: session.orgId, policy_id: policy.id } },
      body: { stack_id: stackId, deployment_id: id, ...(typeof version === "number" && { version }) },
    }),
  );
  screen.value(tested);
  screen.out(resultText([tested.result]));
  screen.note(`As a mandatory policy it would come to: ${tested.outcome}`);
  return tested.outcome === "denied" ? EXIT.refused : EXIT.done;
};

export const set: Action<Options> = async (context, name) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const policy = await findPolicy(session, name ?? "");
  const version = versionOf(options.at);
  const enforcement = enforcementOf(options.enforcement) ?? policy.enforcement;
  const changed = await replace(session, {
    ...policy,
    enforcement,
    version: version === undefined ? policy.version : version,
  });
  screen.value(changed);
  const counts = changed.version === null ? "no version counts" : `version ${changed.version} counts`;
  screen.note(`${changed.name}: ${counts}, ${changed.enforcement}`);
  return EXIT.done;
};

async function replace(
  { api, orgId }: Session,
  { id, name, description, enforcement, selector, modes, version }: Policy,
): Promise<Policy> {
  return answerOf(
    api.PUT("/api/v1/orgs/{org_id}/policies/{policy_id}", {
      params: { path: { org_id: orgId, policy_id: id } },
      body: { name, description, enforcement, selector, modes, version },
    }),
  );
}

/** Undefined where nothing was said, null for `none`. @throws Failure: usage */
function versionOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usage(`--at: ${text} is no version.`);
  return Number(text);
}

/** @throws Failure: usage */
function enforcementOf(text: string | undefined): Enforcement | undefined {
  if (text === undefined) return undefined;
  if (!ENFORCEMENTS.includes(text)) throw usage(`--enforcement: ${text} is none of ${ENFORCEMENTS.join(", ")}.`);
  return text as Enforcement;
}
