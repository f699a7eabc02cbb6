import * as v from "valibot";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether text holds characters that would break a line, a log or a terminal. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

/**
 * Characters that are not seen, or turn what is seen round: "admin" with one of them is another name that reads the
 * same.
 */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

/** For the document: neither control characters nor blanks at the ends. */
const VISIBLE =
  "^[^\\s\\u0000-\\u001f\\u007f-\\u009f](?:[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f])?$";

/**
 * A name for people to read: 1 to `max` characters, none of them control characters or unseen ones, no blanks at its
 * ends.
 */
export function displayName(max: number) {
  return v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(max),
    v.metadata({ pattern: VISIBLE }),
    v.check(
      (text) => !hasControlCharacters(text) && !UNSEEN.test(text) && text.trim() === text,
      "must not hold control or invisible characters, or blanks at its ends",
    ),
  );
}
