import { NotFoundError } from "../../platform/problems/problem.ts";

/** The stack's id as people see it, made from its name: lower case, every other run of characters a `-`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 100);
}

/** Whether a path segment can be a stack's id. `.` and `..` cannot be addressed: URLs resolve them away. */
export function isSlug(text: string): boolean {
  return /^[a-z0-9._-]{1,100}$/.test(text) && text !== "." && text !== "..";
}

/** What `requireUuids` is for ids of rows. @throws NotFoundError */
export function requireSlug(text: string): void {
  if (!isSlug(text)) throw new NotFoundError();
}
