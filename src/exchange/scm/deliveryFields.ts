/** Reads what strangers may have written: the fields of a delivery's payload. Pure. */
import { hasDetours, repositoryKey } from "../../core/stacks/repositoryUrl.ts";

export type Fields = Record<string, unknown>;

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LONGEST_BRANCH = 255;
const LONGEST_NAME = 255;
const LONGEST_URL = 1_000;

export function object(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function number(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31 ? (value as number) : null;
}

/** Null also for the zeros that stand for "no commit". */
export function sha(value: unknown): string | null {
  const found = text(value);
  return found !== null && SHA.test(found) && !/^0+$/.test(found) ? found : null;
}

/** The addresses among them that a stack may have: percent signs make a key longer than any that a stack may name. */
export function storableUrls(values: readonly unknown[]): string[] {
  return values
    .map(text)
    .filter((url) => url !== null)
    .filter((url) => url.length <= LONGEST_URL && repositoryKey(url).length <= LONGEST_URL && !hasDetours(url));
}

export function isTracked(branch: string): boolean {
  return branch.length <= LONGEST_BRANCH && isStorable(branch);
}

/** What a host calls somebody. */
export function person(value: unknown): string | null {
  const name = text(value);
  return name !== null && name.length <= LONGEST_NAME && isStorable(name) ? name : null;
}

function isStorable(value: string): boolean {
  return !value.includes("\0") && value.isWellFormed();
}

/** The branch of a ref; null for a tag, and for what is none. */
export function branchOf(ref: unknown): string | null {
  return /^refs\/heads\/(.+)$/s.exec(text(ref) ?? "")?.[1] ?? null;
}
