import { type DeclaredDependency, dependencyOf, mergeDependency } from "./dependencyComment.ts";
import { type DirectiveName, directiveName, MalformedComment, parseDirective } from "./directive.ts";
import { IdentityDeclarations } from "./identityComments.ts";
import { blockAddress, SourceLines } from "./sourceLines.ts";
import type { CurrentStack } from "./template.ts";

/** More comments than anybody writes; beyond, what they say is unknown. */
const MAX_DIRECTIVES = 10_000;
const MAX_ERRORS = 1_000;

/** What is declared in so many places that it is not read; nothing is known then. */
export class TooManyDirectives extends Error {
  override name = "TooManyDirectives";
  override message = `more than ${MAX_DIRECTIVES} comments`;
}

interface Pending {
  name: DirectiveName;
  comment: string;
  line: number;
}

/** Collects what the comments of one configuration declare for one stack, file by file, line by line. */
export class CommentScanner {
  readonly identities = new IdentityDeclarations();
  readonly #stack: CurrentStack;
  readonly #edges = new Map<string, DeclaredDependency>();
  readonly #errors: string[] = [];
  #errorsLeftOut = 0;
  #directives = 0;

  constructor(stack: CurrentStack) {
    this.#stack = stack;
  }

  get edges(): DeclaredDependency[] {
    return [...this.#edges.values()];
  }

  /** An entry `file:line: message` for each comment that could not be understood. */
  get errors(): string[] {
    return this.#errorsLeftOut === 0 ? this.#errors : [...this.#errors, `and ${this.#errorsLeftOut} more`];
  }

  /** Returns what takes the lines of one file, and its end. */
  file(name: string): { line: (text: string) => void; end: () => void } {
    const file = name.replace(/\p{Cc}/gu, "?");
    const lines = new SourceLines();
    let pending: Pending[] = [];
    let number = 0;
    const settle = (adopted: string | null) => {
      for (const one of pending) this.#take(one, file, adopted);
      pending = [];
    };
    return {
      line: (text) => {
        number += 1;
        const { code, comment } = lines.next(text);
        const isCode = code.trim() !== "";
        const directive = comment === null ? null : directiveName(comment);
        // A comment behind code is about that line, as those above it are.
        if (isCode) settle(blockAddress(code));
        if (directive === null || comment === null) return;
        this.#directives += 1;
        if (this.#directives > MAX_DIRECTIVES) throw new TooManyDirectives();
        pending.push({ name: directive, comment, line: number });
        if (isCode) settle(blockAddress(code));
      },
      end: () => settle(null),
    };
  }

  #take({ name, comment, line }: Pending, file: string, adopted: string | null): void {
    try {
      const { fields } = parseDirective(name, comment);
      if (name === "svc:dependency") {
        const declared = dependencyOf(fields, this.#stack, adopted);
        if (declared !== null) mergeDependency(this.#edges, { ...declared, file, line });
      } else if (name === "svc:resource-identity") this.identities.addIgnore(fields, adopted);
      else this.identities.addRealm(fields, adopted);
    } catch (error) {
      if (!(error instanceof MalformedComment)) throw error;
      if (this.#errors.length < MAX_ERRORS) this.#errors.push(`${file}:${line}: ${error.message}`);
      else this.#errorsLeftOut += 1;
    }
  }
}
