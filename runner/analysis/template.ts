/**
 * Templates of dependency comments: `{{ .stack.ID }}`, `{{ .stack.Name }}` and `{{ .stack.Labels.<key> }}`, with a
 * few pure functions, as pipes or calls. Nothing else can be said in them, and no text takes longer than its length.
 */
import { MAX_FIELD_CHARACTERS, MalformedComment, quoted } from "./directive.ts";

/** The stack a comment is read for. */
export interface CurrentStack {
  id: string;
  name: string;
  labels: Record<string, string>;
}

/** Null: a label that the stack does not have. `default` gives it a value; left over, it is an error. */
type Value = string | null;
type Expression = (stack: CurrentStack) => Value;
export type Template = (stack: CurrentStack) => string;

/** Between functions, where a text may still be cut down again. */
const MAX_INTERMEDIATE_CHARACTERS = 8 * MAX_FIELD_CHARACTERS;

type PureFunction = { parameters: number; apply: (...args: string[]) => string };

/** As in other template languages, the text comes last, so that it can be piped in. */
const FUNCTIONS: Record<string, PureFunction> = {
  lower: { parameters: 1, apply: (text = "") => text.toLowerCase() },
  upper: { parameters: 1, apply: (text = "") => text.toUpperCase() },
  trim: { parameters: 1, apply: (text = "") => text.trim() },
  trimPrefix: { parameters: 2, apply: (cut = "", text = "") => (text.startsWith(cut) ? text.slice(cut.length) : text) },
  trimSuffix: {
    parameters: 2,
    apply: (cut = "", text = "") => (text.endsWith(cut) ? text.slice(0, text.length - cut.length) : text),
  },
  replace: { parameters: 3, apply: replaceAll },
};

function replaceAll(old = "", replacement = "", text = ""): string {
  if (old === "") throw new MalformedComment("replace needs a text to look for");
  return text.replaceAll(old, () => replacement);
}

/** @throws MalformedComment; so does rendering, for a missing label and for a text that is too long */
export function parseTemplate(text: string): Template {
  const parts: Expression[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{{", at);
    const literal = text.slice(at, open === -1 ? text.length : open);
    if (literal !== "") parts.push(() => literal);
    if (open === -1) break;
    const action = new Action(text, open + 2);
    parts.push(action.parse());
    at = action.end;
  }
  return (stack) => rendered(parts, stack);
}

function rendered(parts: readonly Expression[], stack: CurrentStack): string {
  const text = parts.map((part) => part(stack)).join("");
  if (text === "") throw new MalformedComment("the template gives an empty text");
  if (text.length <= MAX_FIELD_CHARACTERS) return text;
  throw new MalformedComment(`the template gives more than ${MAX_FIELD_CHARACTERS} characters`);
}

type Token = { kind: "field" | "text" | "name" | "|" | "(" | ")" | "end"; text: string };

const TOKEN = /\s*(?:(\}\})|([|()])|(\.[^\s|()}]*)|"((?:[^"\\]|\\["\\])*)"|`([^`]*)`|([A-Za-z]+))/y;

/** What stands between `{{` and `}}`: pipeline = call { "|" call }; call = name { operand } | operand. */
class Action {
  readonly #source: string;
  #at: number;
  #token: Token;

  constructor(source: string, at: number) {
    this.#source = source;
    this.#at = at;
    this.#token = this.#read();
  }

  /** Where the text after `}}` begins, once parsed. */
  get end(): number {
    return this.#at;
  }

  parse(): Expression {
    const value = this.#pipeline();
    if (this.#token.kind !== "end") throw this.#unexpected();
    return required(value, this.#source);
  }

  #pipeline(): Expression {
    let value = this.#call(null);
    while (this.#token.kind === "|") {
      this.#advance();
      value = this.#call(value);
    }
    return value;
  }

  #call(piped: Expression | null): Expression {
    if (this.#token.kind !== "name") {
      if (piped !== null) throw new MalformedComment("only a function can stand behind | in a template");
      return this.#operand();
    }
    const name = this.#token.text;
    this.#advance();
    const args: Expression[] = [];
    while (["field", "text", "("].includes(this.#token.kind)) args.push(this.#operand());
    if (piped !== null) args.push(piped);
    return call(name, args);
  }

  #operand(): Expression {
    const { kind, text } = this.#token;
    if (kind === "text") {
      this.#advance();
      return () => text;
    }
    if (kind === "field") {
      this.#advance();
      return field(text);
    }
    if (kind !== "(") throw this.#unexpected();
    this.#advance();
    const inner = this.#pipeline();
    if (this.#token.kind !== ")") throw this.#unexpected();
    this.#advance();
    return inner;
  }

  #advance(): void {
    this.#token = this.#read();
  }

  #read(): Token {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#source);
    if (match === null) {
      const rest = this.#source.slice(this.#at).trimStart();
      throw new MalformedComment(
        rest === "" ? "{{ is not closed in a template" : `unexpected ${quoted(rest)} in a template`,
      );
    }
    this.#at = TOKEN.lastIndex;
    const [, end, sign, path, string, raw, name] = match;
    if (end !== undefined) return { kind: "end", text: end };
    if (sign !== undefined) return { kind: sign as "|" | "(" | ")", text: sign };
    if (path !== undefined) return { kind: "field", text: path };
    if (string !== undefined) return { kind: "text", text: string.replace(/\\(["\\])/g, "$1") };
    return raw === undefined ? { kind: "name", text: name ?? "" } : { kind: "text", text: raw };
  }

  #unexpected(): MalformedComment {
    return new MalformedComment(`unexpected ${quoted(this.#token.text)} in a template`);
  }
}

const LABEL_PATH = ".stack.Labels.";

function field(path: string): Expression {
  if (path === ".stack.ID") return ({ id }) => id;
  if (path === ".stack.Name") return ({ name }) => name;
  const key = path.slice(LABEL_PATH.length);
  if (!path.startsWith(LABEL_PATH) || key === "") {
    throw new MalformedComment(`${quoted(path)} is none of .stack.ID, .stack.Name and .stack.Labels.<key>`);
  }
  return ({ labels }) => (Object.hasOwn(labels, key) ? (labels[key] ?? null) : null);
}

function call(name: string, args: readonly Expression[]): Expression {
  const known = name === "default" ? { parameters: 2 } : Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (known === undefined) throw new MalformedComment(`${quoted(name)} is no function of templates`);
  if (args.length !== known.parameters) {
    throw new MalformedComment(`${name} takes ${known.parameters} texts in a template, not ${args.length}`);
  }
  return (stack) => {
    const values = args.map((arg) => arg(stack));
    if (!("apply" in known)) return values[1] || (values[0] ?? null);
    // What is missing stays missing until somebody gives a default.
    if (values.some((value) => value === null)) return null;
    const result = known.apply(...(values as string[]));
    if (result.length > MAX_INTERMEDIATE_CHARACTERS) throw new MalformedComment(`${name} gives too long a text`);
    return result;
  };
}

function required(value: Expression, source: string): Expression {
  return (stack) => {
    const text = value(stack);
    if (text === null) throw new MalformedComment(`the stack lacks a label that ${quoted(source)} needs`);
    return text;
  };
}
