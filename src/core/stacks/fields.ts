/**
 * What each setting of a stack may be (docs/rules/stacks.md#fields-are-checked-for-where-they-end-up). Everything
 * here may end up on a command line or in a path.
 */
import * as v from "valibot";
import { displayName, hasControlCharacters } from "../../http/textFields.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { DurationField } from "../../platform/time/durations.ts";
import type { Hooks } from "../runs/protocol.ts";
import { parseRepositoryUrl } from "./repositoryUrl.ts";
import { PR_CONDITIONS } from "./schema.ts";

export const RepositoryUrlField = v.pipe(
  v.string(),
  v.maxLength(1_000),
  v.metadata({ pattern: "^(?:(?:https?|ssh|git|file)://|[A-Za-z0-9_][A-Za-z0-9_.-]*@).+" }),
  v.check(
    (text) => parseRepositoryUrl(text) !== null,
    "expected an https or ssh address of a repository, without a password",
  ),
);

export const BranchField = v.pipe(
  v.string(),
  v.maxLength(255),
  v.metadata({ minLength: 1 }),
  v.check(isBranch, "is not a valid branch name"),
);

/** The rules of `git check-ref-format --branch`, and no leading dash. */
function isBranch(text: string): boolean {
  return (
    text !== "" &&
    text !== "@" &&
    !hasControlCharacters(text) &&
    !/[ ~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$/.test(text) &&
    text.split("/").every((part) => !part.startsWith(".") && !part.endsWith(".lock"))
  );
}

/** A folder inside the repository, stored without `./`, doubled or closing slashes; `.` is the repository's root. */
export const WorkingDirectoryField = v.pipe(
  v.string(),
  v.maxLength(500),
  v.check(isInside, "must be a folder inside the repository: relative, without '..', '.git' or backslashes"),
  v.transform((text) => folders(text).join("/") || "."),
);

function isInside(text: string): boolean {
  const parts = folders(text);
  return (
    text !== "" &&
    !text.startsWith("/") &&
    !text.includes("\\") &&
    !hasControlCharacters(text) &&
    !parts.includes("..") &&
    !parts.some((part) => part.toLowerCase() === ".git" || part.startsWith("-"))
  );
}

function folders(text: string): string[] {
  return text.split("/").filter((part) => part !== "" && part !== ".");
}

export const ToolVersionField = v.pipe(
  v.string(),
  v.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[0-9A-Za-z.]{1,40})?$/, "expected a version such as 1.11.4"),
);

/**
 * System keys that people may write: one of these and a label key, so that a stack can select whatever key a runner
 * group may have. Every other key under `svc:` belongs to the service (docs/rules/stacks.md#labels).
 */
const WRITABLE_SYSTEM_KEY = /^svc:(?:runner-group|group):(?!svc:)./;
const LABEL_KEY = /^(?:svc:(?:runner-group|group):)?[A-Za-z0-9][A-Za-z0-9._/:-]{0,127}$/;

/** One label's key; with `systemKeys` off none under `svc:`. */
export function labelKey({ systemKeys }: { systemKeys: boolean }) {
  return v.pipe(
    v.string(),
    v.regex(LABEL_KEY, "must be 1 to 128 letters, digits, '.', '_', '/', ':' or '-', and begin with a letter or digit"),
    v.check(
      (text) => !text.startsWith("svc:") || (systemKeys && WRITABLE_SYSTEM_KEY.test(text)),
      systemKeys
        ? "under 'svc:' only 'svc:runner-group:<name>' and 'svc:group:<view>' can be written"
        : "keys under 'svc:' are reserved",
    ),
  );
}

/** Labels of a stack or, with `systemKeys` off, of a runner group: at most 64, values of at most 256 characters. */
export function labelsField({ systemKeys }: { systemKeys: boolean }) {
  const key = labelKey({ systemKeys });
  const value = v.pipe(
    v.string(),
    v.maxLength(256),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  );
  return v.pipe(mapOf(key, value), v.maxEntries(64));
}

/** Authorization groups: a set of names, none under `svc:`. Stored in order, so that two spellings of a set are one. */
export const AuthzGroupsField = v.pipe(
  v.array(
    v.pipe(
      displayName(100),
      v.check((name) => !name.startsWith("svc:"), "names under 'svc:' are reserved"),
    ),
  ),
  v.maxLength(50),
  v.transform((names) => [...new Set(names)].sort()),
);

/** A queue policy in milliseconds; null switches it off. */
export const PolicyField = v.nullable(DurationField);

const Conditions = v.pipe(
  v.array(v.picklist(PR_CONDITIONS)),
  v.maxLength(10),
  v.transform((names) => PR_CONDITIONS.filter((name) => names.includes(name))),
);

/** In bytes. Settings are read with every stack, and a script of the repository can be as long as it likes. */
const LONGEST_HOOK = 8_192;

const Hook = v.optional(
  v.pipe(
    v.string(),
    v.regex(/\S/, "must not be empty"),
    v.check((text) => !text.includes("\0"), "must not hold null characters"),
    v.check((text) => Buffer.byteLength(text, "utf8") <= LONGEST_HOOK, `must have at most ${LONGEST_HOOK} bytes`),
  ),
);

/** Whoever reads the stack reads them, so a secret belongs into a context. */
export const HooksField = v.pipe(
  v.strictObject({ before_plan: Hook, after_plan: Hook, before_apply: Hook, after_apply: Hook }),
  v.metadata({ description: "Run by /bin/sh -e in the stack's directory; readable by whoever may read the stack" }),
  v.transform((hooks): Hooks => Object.fromEntries(Object.entries(hooks).filter(([, text]) => text !== undefined))),
);

/** What a pull request must have before it is planned by itself and before it is promoted; nothing when absent. */
export const PrRequirementsField = v.pipe(
  v.strictObject({ plan: v.optional(Conditions), promote: v.optional(Conditions) }),
  v.transform(({ plan, promote }) => ({ ...(plan && { plan }), ...(promote && { promote }) })),
);
