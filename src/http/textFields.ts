import * as v from "valibot";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether text holds characters that would break a line, a log or a terminal. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

/** Characters that are not seen, or turn what is seen round: "admin" with one of them is another name that reads the same. */
const UNSEEN = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/;

/** For the document: neither control characters nor blanks at the ends. */
const VISIBLE =
  "^[^\\s\\u0000-\\u001f\\u007f-\\u009f](?:[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f])?$";

/** A name for people to read: 1 to `max` characters, none of them control characters or unseen ones, no blanks at its ends. */
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

/**
 * Keys that valibot's record leaves out without a word: a selector of nothing else would become one that matches everything.
 */
const DROPPED_KEYS: ReadonlySet<string> = new Set(["__proto__", "prototype", "constructor"]);

/** Whether a map that people write may have this key. */
export function isMapKey(key: string): boolean {
  return !DROPPED_KEYS.has(key);
}

/**
 * A JSON object with free keys. Valibot's own record takes a list for one, with "0", "1", ... as its keys, and drops three names
 * that are a risk in JavaScript; both are refused here.
 */
export function mapOf<K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(key: K, value: V) {
  const record = v.record(key, value);
  const run: (typeof record)["~run"] = (dataset, config) => {
    const value = dataset.value;
    if (Array.isArray(value)) {
      v._addIssue(record, "type", dataset, config);
      return dataset as unknown as v.OutputDataset<never, never>;
    }
    const parsed = record["~run"](dataset, config);
    if (typeof value === "object" && value !== null && !Object.keys(value).every(isMapKey)) {
      const message = "must not have __proto__, prototype or constructor as a key";
      v._addIssue(record, "key", parsed, config, { message });
    }
    return parsed;
  };
  return { ...record, "~run": run };
}
