/** The checks that a host's own rules want of a branch: its protection and its rulesets, as far as they can be read. */
import type { RequiredCheck } from "./checks.ts";
import type { RepositoryCalls } from "./client.ts";
import { HostError, type HostFailure } from "./errors.ts";

/** The host does not show its rules to these credentials, or has none of that kind. */
const NOT_SAID: ReadonlySet<HostFailure> = new Set([
  "not_found",
  "no_branch",
  "refused",
  "hidden",
  "unacceptable",
  "too_large",
]);

/** Two calls for a branch, whatever its requests. Empty: the host requires none, or does not say. @throws HostError */
export async function requiredChecks(calls: RepositoryCalls, branch: string): Promise<RequiredCheck[]> {
  const protection = await ifSaid(async () =>
    ofProtection((await calls.call("GET", "/branches/{branch}", { branch })).data),
  );
  const rules = await ifSaid(async () =>
    (await calls.list("/rules/branches/{branch}", { branch })).items.flatMap(ofRule),
  );
  return [...protection, ...rules];
}

async function ifSaid(ask: () => Promise<RequiredCheck[]>): Promise<RequiredCheck[]> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HostError && NOT_SAID.has(error.failure)) return [];
    throw error;
  }
}

type Protected = {
  protection?: {
    required_status_checks?: { enforcement_level?: unknown; contexts?: unknown; checks?: unknown } | null;
  } | null;
};

function ofProtection(data: unknown): RequiredCheck[] {
  const required = (data as Protected | null)?.protection?.required_status_checks;
  if (!required || required.enforcement_level === "off") return [];
  const checks = arrayOf(required.checks).flatMap((check) => {
    const { context, app_id } = (check ?? {}) as { context?: unknown; app_id?: unknown };
    return requiredOf(context, app_id);
  });
  const named = new Set(checks.map(({ name }) => name));
  const contexts = arrayOf(required.contexts).flatMap((context) => requiredOf(context, null));
  return [...checks, ...contexts.filter(({ name }) => !named.has(name))];
}

type Rule = { type?: unknown; parameters?: { required_status_checks?: unknown } | null };

function ofRule(rule: unknown): RequiredCheck[] {
  const { type, parameters } = (rule ?? {}) as Rule;
  if (type !== "required_status_checks") return [];
  return arrayOf(parameters?.required_status_checks).flatMap((check) => {
    const { context, integration_id } = (check ?? {}) as { context?: unknown; integration_id?: unknown };
    return requiredOf(context, integration_id);
  });
}

/** Hosts write -1, or nothing, for "whoever reports it". */
function requiredOf(name: unknown, app: unknown): RequiredCheck[] {
  if (typeof name !== "string") return [];
  return [{ name, app: Number.isSafeInteger(app) && (app as number) > 0 ? (app as number) : null }];
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
