/** What a request about a deployment may hold (docs/rules/deployments.md#addresses-of-resources). */
import * as v from "valibot";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { VERDICTS } from "../approvals/schema.ts";
import { MAX_SCRIPT_BYTES } from "./rawCommands/rawCommand.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** A resource address as the engine takes it: quotes, spaces, `$` and brackets included, control characters not. */
const Address = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_024),
  v.check((text) => !CONTROL.test(text), "must not hold control characters"),
  v.check((text) => text.trim() !== "" && !text.startsWith("-"), "is not a resource address"),
);
const Addresses = v.optional(v.pipe(v.array(Address), v.maxLength(100)));

const entries = { targets: Addresses, excludes: Addresses, replaces: Addresses };
type Narrowed = v.InferOutput<v.StrictObjectSchema<typeof entries, undefined>>;

/** The engine takes one or the other. */
function exclusive<T extends Narrowed>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (dataset.typed && dataset.value.targets?.length && dataset.value.excludes?.length) {
      addIssue({ message: "targets and excludes cannot be given together", path: pathTo(dataset.value, "excludes") });
    }
  });
}

function pathTo<T extends object>(value: T, key: string): [v.IssuePathItem] {
  return [{ type: "object", origin: "value", input: value as Record<string, unknown>, key, value: undefined }];
}

const CommitSha = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, "expected a full lower-case commit id"),
    v.check((id) => !/^0+$/.test(id), "is the id that stands for no commit"),
  ),
);

export const CreateBody = v.pipe(
  v.strictObject({
    mode: v.picklist(["plan", "destroy", "refresh", "plan_unlocked"]),
    commit_sha: CommitSha,
    allow_foreign: v.optional(
      v.pipe(
        v.boolean(),
        v.metadata({
          description: "Also a commit that is not on the stack's branch: it gets no secrets and no credentials",
        }),
      ),
    ),
    ...entries,
  }),
  exclusive(),
);
export type CreateBody = v.InferOutput<typeof CreateBody>;

/** A local plan: what was uploaded, named by key and digest, so that nothing else can be planned. */
export const LocalBody = v.pipe(
  v.strictObject({
    local_source_key: v.pipe(v.string(), v.uuid()),
    local_source_sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "expected a lower-case hexadecimal SHA-256")),
    commit_sha: CommitSha,
    ...entries,
  }),
  exclusive(),
);
export type LocalBody = v.InferOutput<typeof LocalBody>;

const Words = (max: number) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(max),
    v.check((words) => !CONTROL.test(words.replaceAll(/[\n\t]/g, "")), "must not hold control characters"),
  );

const BreakGlass = v.optional(
  v.pipe(
    Words(1_000),
    v.metadata({
      description:
        "Why it cannot wait for the approvals it needs; it is applied without them. Needs (stack, break_glass) too, and everybody is told.",
    }),
  ),
);

export const ConfirmPreviewBody = v.strictObject({ break_glass: BreakGlass });

export const ReviewBody = v.strictObject({
  verdict: v.picklist(VERDICTS),
  comment: v.optional(Words(2_000)),
  plan_run_id: v.optional(
    v.pipe(
      v.string(),
      v.uuid(),
      v.metadata({ description: "The plan that was looked at; left out only for a preview that nobody has started" }),
    ),
  ),
});

type Confirm = Narrowed & { action: "apply" | "replan" | "skip"; plan_run_id?: string | undefined };

export const ConfirmBody = v.pipe(
  v.strictObject({
    action: v.picklist(["apply", "replan", "skip"]),
    plan_run_id: v.optional(v.pipe(v.string(), v.uuid())),
    break_glass: BreakGlass,
    ...entries,
  }),
  exclusive(),
  v.check(({ action, break_glass }) => action === "apply" || break_glass === undefined, "only apply takes break_glass"),
  v.rawCheck<Confirm>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { action, targets, excludes, replaces } = dataset.value;
    const narrowed = [targets, excludes, replaces].some((list) => list?.length);
    if (action === "replan" && !narrowed) {
      addIssue({
        message: "replan needs at least one of targets, excludes, replaces",
        path: pathTo(dataset.value, "targets"),
      });
    }
    if (action !== "replan" && narrowed) {
      addIssue({ message: "only replan takes targets, excludes and replaces", path: pathTo(dataset.value, "action") });
    }
  }),
);
export type ConfirmBody = v.InferOutput<typeof ConfirmBody>;

const GuardBroken = v.optional(
  v.pipe(
    Words(1_000),
    v.metadata({
      description:
        "Why a command is run on a stack whose applies are looked at before. Needs (stack, break_glass), where a policy is about them (policy, override), and everybody is told.",
    }),
  ),
);

/** A raw command. Its text is in no message: a refusal says only what is wrong with it. */
export const RunCommandBody = v.strictObject({
  script: v.pipe(
    v.string(),
    v.regex(/\S/, "must not be empty"),
    v.check(
      (script) => Buffer.byteLength(script, "utf8") <= MAX_SCRIPT_BYTES,
      `must have at most ${MAX_SCRIPT_BYTES} bytes`,
    ),
    v.metadata({ description: "Run by /bin/sh -e in the stack's directory; kept encrypted and shown to nobody" }),
  ),
  break_glass: GuardBroken,
});

export const CancelBody = v.strictObject({ force: v.optional(v.boolean()) });

/**
 * Excludes exist only in OpenTofu; planning everything instead would be the worst answer.
 * @throws InvalidValueError for another tool
 */
export function refuseExcludes(tool: string, excludes: string[] | undefined): void {
  if (tool === "tofu" || !excludes?.length) return;
  throw new InvalidValueError([
    { field: "excludes", message: `${tool} cannot exclude resources; only tofu 1.9 or newer can` },
  ]);
}
