import { base64Forms, base64OfBytes } from "./base64Forms.ts";
import { digitsForms } from "./numberForms.ts";
import { MIN_SENSITIVE_LENGTH } from "./sensitiveValues.ts";
import { carriedOut } from "./shellForms.ts";

/**
 * What has to be looked for to find these texts in what an engine writes, longest first: each as it is, line by line
 * and in what is no escaping. How a text is escaped and laid out is for whoever looks.
 */
export function formsOf(texts: ReadonlySet<string>): Buffer[] {
  const forms = new Map<string, Buffer>();
  for (const text of texts) {
    for (const part of withItsLines(text)) {
      if (part.length < MIN_SENSITIVE_LENGTH) continue;
      for (const form of encodings(part)) forms.set(form.toString("latin1"), form);
    }
    for (const bytes of carriedOut(text)) {
      for (const form of encodingsOfBytes(bytes, MIN_SENSITIVE_LENGTH)) forms.set(form.toString("latin1"), form);
    }
  }
  return [...forms.values()].sort((a, b) => b.length - a.length);
}

/** The text, and each of its lines as they stand in a heredoc, whatever it is indented by. */
export function withItsLines(text: string): string[] {
  return [...new Set([text, ...text.split(/\r?\n/).map((line) => line.trim())])];
}

/** The text itself, base64 of it, of it inside JSON and of its base64, its hex digits, its other digits of a number. */
export function encodings(value: string): Buffer[] {
  const bytes = Buffer.from(value, "utf8");
  const texts = digitsForms(value).map((text) => Buffer.from(text, "latin1"));
  return [bytes, ...texts, ...base64Forms(value), ...hexForms(bytes)];
}

/** Bytes that need be no text, and each of their lines, from `least` bytes on; with their base64 and hex digits. */
export function encodingsOfBytes(bytes: Buffer, least: number): Buffer[] {
  return withItsLines(bytes.toString("latin1"))
    .map((part) => Buffer.from(part, "latin1"))
    .filter((part) => part.length >= least)
    .flatMap((part) => [part, ...base64OfBytes(part), ...hexForms(part)]);
}

function hexForms(bytes: Buffer): Buffer[] {
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase()].map((text) => Buffer.from(text, "latin1"));
}
