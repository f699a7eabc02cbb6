import { RE2JS } from "re2js";
import { combineTriggers, type Trigger } from "../../src/graph/analysis/trigger.ts";
import { resourceAddress, stackId } from "./addresses.ts";
import { MalformedComment, quoted } from "./directive.ts";
import { type CurrentStack, parseTemplate, type Template } from "./template.ts";

/** An edge that a comment declares, as in the analysis file. */
export interface DeclaredDependency {
  from_stack: string;
  /** A resource of the other stack or `output.<name>`; null: all of it. */
  from_resource: string | null;
  /** What depends; null: the whole stack. */
  resource: string | null;
  /** The variable that is given the output's value; absent where none is. */
  as?: string;
  trigger: Trigger;
  file: string;
  line: number;
}

const FIELDS = new Set([
  "from_stack",
  "from_stack_tpl",
  "from_resource",
  "from_resource_tpl",
  "resource",
  "as",
  "stack",
  "stack_regex",
  "trigger",
]);
const VARIABLE = /^TF_VAR_[A-Za-z_][A-Za-z0-9_]{0,200}$/;
const OUTPUT = /^output\.[A-Za-z0-9_-]+$/;
const TRIGGERS: readonly Trigger[] = ["always", "manual", "never"];

/**
 * What the fields of `svc:dependency:` declare for this stack; null when the comment is for others. Everything that can
 * be wrong for any stack is looked at first, so that a mistake shows wherever the file is used.
 * @param adopted the block that follows the comment, or null
 * @throws MalformedComment, and then nothing of the comment counts
 */
export function dependencyOf(
  fields: ReadonlyMap<string, string>,
  stack: CurrentStack,
  adopted: string | null,
): Omit<DeclaredDependency, "file" | "line"> | null {
  refuseUnknown(fields, FIELDS);
  const fromStack = alternative(fields, "from_stack", stackId);
  if (fromStack === null) throw new MalformedComment("from_stack or from_stack_tpl is required");
  const fromResource = alternative(fields, "from_resource", resourceAddress);
  const named = fields.get("resource");
  const resource = named === undefined ? null : resourceAddress("resource", named);
  const as = fields.get("as");
  if (as !== undefined) checkVariable(as, fromResource !== null);
  const trigger = triggerOf(fields.get("trigger"));
  if (!concerns(fields, stack)) return null;
  const from = fromStack(stack);
  if (from === stack.id) throw new MalformedComment("a stack cannot depend on itself");
  const from_resource = fromResource?.(stack) ?? null;
  if (as !== undefined && !OUTPUT.test(from_resource ?? "")) throw new MalformedComment(NO_OUTPUT);
  return {
    from_stack: from,
    from_resource,
    resource: resource ?? (adopted === null ? null : resourceAddress("the block below,", adopted)),
    ...(as === undefined ? {} : { as }),
    trigger,
  };
}

const NO_OUTPUT = "as is the variable for an output: from_resource has to be output.<name>";

/** Nothing but a variable of the configuration: no comment sets what an engine or a program heeds. */
function checkVariable(as: string, hasResource: boolean): void {
  if (!VARIABLE.test(as)) throw new MalformedComment(`as ${quoted(as)} is not TF_VAR_ and the name of a variable`);
  if (!hasResource) throw new MalformedComment(NO_OUTPUT);
}

/** Repeated declarations become one, manual over never over always. */
export function mergeDependency(into: Map<string, DeclaredDependency>, declared: DeclaredDependency): void {
  const key = JSON.stringify([declared.from_stack, declared.from_resource, declared.resource, declared.as]);
  const known = into.get(key);
  if (known === undefined) into.set(key, declared);
  else known.trigger = combineTriggers(known.trigger, declared.trigger);
}

/** @throws MalformedComment */
export function refuseUnknown(fields: ReadonlyMap<string, string>, known: ReadonlySet<string>): void {
  for (const key of fields.keys()) {
    if (!known.has(key)) throw new MalformedComment(`${key} is no field of this comment`);
  }
}

/** The field as it is, or from its template variant; null when there is neither. */
function alternative(
  fields: ReadonlyMap<string, string>,
  key: string,
  checked: (key: string, text: string) => string,
): Template | null {
  const plain = fields.get(key);
  const template = fields.get(`${key}_tpl`);
  if (plain !== undefined && template !== undefined) {
    throw new MalformedComment(`${key} and ${key}_tpl exclude each other`);
  }
  if (plain !== undefined) {
    checked(key, plain);
    return () => plain;
  }
  if (template === undefined) return null;
  const render = parseTemplate(template);
  return (stack) => checked(`${key}_tpl gives`, render(stack));
}

function triggerOf(text: string | undefined): Trigger {
  const trigger = TRIGGERS.find((known) => known === (text ?? "manual"));
  if (trigger === undefined)
    throw new MalformedComment(`trigger ${quoted(text ?? "")} is none of always, manual, never`);
  return trigger;
}

/**
 * The expression runs in an engine without backtracking: nobody's text can stall a run
 * (docs/rules/secrets.md#expressions-take-linear-time).
 */
function concerns(fields: ReadonlyMap<string, string>, stack: CurrentStack): boolean {
  const id = fields.get("stack");
  const pattern = fields.get("stack_regex");
  if (id !== undefined && pattern !== undefined) {
    throw new MalformedComment("stack and stack_regex exclude each other");
  }
  if (id !== undefined) return stackId("stack", id) === stack.id;
  return pattern === undefined || compiled(pattern).matcher(stack.id).find();
}

function compiled(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch {
    throw new MalformedComment(`stack_regex ${quoted(pattern)} is no expression of RE2`);
  }
}
