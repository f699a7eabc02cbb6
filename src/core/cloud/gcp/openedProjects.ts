/**
 * Which organization may name accounts of which project. Google has no external id, so only the operator can say whose
 * a project is (docs/rules/cloud.md#google-projects-are-opened). Pure.
 */
import * as v from "valibot";

/** `*` stands for every one. */
export type OpenedProject = { orgId: string; project: string };

const PAIR = /^(\*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(\*|[a-z0-9][a-z0-9.-]{0,100})$/;

/** Of a setting: pairs joined by commas. */
export const openedProjects = v.pipe(
  v.string(),
  v.transform((value) => value.split(",").flatMap((pair) => (pair.trim() === "" ? [] : [PAIR.exec(pair.trim())]))),
  v.check((pairs) => !pairs.includes(null), "expected pairs organization id:project, comma-separated; * for any"),
  v.transform((pairs) =>
    pairs.flatMap((pair): OpenedProject[] => (pair === null ? [] : [{ orgId: pair[1]!, project: pair[2]! }])),
  ),
);

export function mayName(opened: readonly OpenedProject[], orgId: string, email: string): boolean {
  const project = projectOf(email);
  return opened.some(
    (one) => (one.orgId === "*" || one.orgId === orgId) && (one.project === "*" || one.project === project),
  );
}

/** Accounts that people made name their project; those that Google made name its number, or its id before the `@`. */
export function projectOf(email: string): string {
  const [name = "", domain = ""] = email.split("@");
  const [, project] = /^(.+)\.iam\.gserviceaccount\.com$/.exec(domain) ?? [];
  return project ?? name.replace(/-compute$/, "");
}
