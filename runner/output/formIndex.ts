/** A stretch of a text covered by secrets, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Forms that begin alike, with what their lengths are, the longest first. */
interface Family {
  forms: Set<string>;
  lengths: number[];
}

/** Forms that begin with the same two bytes. */
interface Group {
  forms: string[];
  /** Length of the shortest of them, by the first so many bytes of which they are told apart. */
  shortest: number;
  families: Map<string, Family>;
}

/**
 * Many byte strings (one character is one byte), found in a text in one pass however many there are and however alike
 * they begin: a plan may hold thousands of secrets, and leaving some out to save time would show them.
 */
export class FormIndex {
  readonly longest: number;
  /** By the first two bytes. A form of a single byte stands under each second one. */
  readonly #groups = new Map<number, Group>();
  /** The pairs that a form begins with: most places of a text are passed by at one look. */
  readonly #pairs = new Uint8Array(65_536);
  /** The bytes that a form of more than one begins with. */
  readonly #firsts = new Uint8Array(256);

  constructor(forms: readonly string[]) {
    const distinct = [...new Set(forms)].filter((form) => form !== "");
    this.longest = distinct.reduce((longest, form) => Math.max(longest, form.length), 0);
    const byPair = new Map<number, string[]>();
    for (const form of distinct) {
      for (const pair of pairsOf(form))
        byPair
          .set(pair, byPair.get(pair) ?? [])
          .get(pair)
          ?.push(form);
      if (form.length > 1) this.#firsts[form.charCodeAt(0)] = 1;
    }
    for (const [pair, alike] of byPair) {
      this.#pairs[pair] = 1;
      this.#groups.set(pair, grouped(alike));
    }
  }

  /** The longest form at each place where there is one, in order; they may overlap. */
  *find(text: string): Generator<Span, void> {
    for (let at = 0; at < text.length; at += 1) {
      const group = this.#at(text, at);
      const family = group?.families.get(text.slice(at, at + group.shortest));
      const length = family?.lengths.find(
        (each) => at + each <= text.length && family.forms.has(text.slice(at, at + each)),
      );
      if (length !== undefined) yield { start: at, end: at + length };
    }
  }

  /** Where the longest tail of `text` begins that could still grow into a form, or into a longer one. */
  firstUndecided(text: string): number {
    for (let at = Math.max(0, text.length - this.longest + 1); at < text.length - 1; at += 1) {
      const group = this.#at(text, at);
      if (group === undefined) continue;
      const tail = text.slice(at);
      const forms =
        tail.length < group.shortest ? group.forms : (group.families.get(tail.slice(0, group.shortest))?.forms ?? []);
      for (const form of forms) if (form.length > tail.length && form.startsWith(tail)) return at;
    }
    const last = text.length - 1;
    return this.#firsts[text.charCodeAt(last)] === 1 ? last : text.length;
  }

  /** Past the end stands a zero. */
  #at(text: string, at: number): Group | undefined {
    const second = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
    const pair = text.charCodeAt(at) * 256 + second;
    return this.#pairs[pair] === 1 ? this.#groups.get(pair) : undefined;
  }
}

function pairsOf(form: string): number[] {
  const first = form.charCodeAt(0) * 256;
  return form.length > 1 ? [first + form.charCodeAt(1)] : Array.from({ length: 256 }, (_, second) => first + second);
}

function grouped(forms: string[]): Group {
  const shortest = forms.reduce((least, form) => Math.min(least, form.length), Number.POSITIVE_INFINITY);
  const families = new Map<string, Family>();
  for (const [beginning, alike] of Map.groupBy(forms, (form) => form.slice(0, shortest))) {
    const lengths = [...new Set(alike.map((form) => form.length))].sort((a, b) => b - a);
    families.set(beginning, { forms: new Set(alike), lengths });
  }
  return { forms, shortest, families };
}
