/** The short code that a person compares, or types from one screen to another. */
import { randomInt } from "node:crypto";

/** Consonants: no code spells a word, and no letter looks like a digit. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** One of 25 billion. */
export function makeUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
}

/** As it is shown: in two halves. */
export function shownCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** What somebody typed, or null where it can be no code. */
export function typedCode(text: string): string | null {
  const code = text.toUpperCase().replace(/[-\s]/g, "");
  return code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter)) ? code : null;
}
