import * as v from "valibot";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Whether text holds characters that would break a line, a log or a terminal. */
export function hasControlCharacters(text: string): boolean {
  return CONTROL.test(text);
}

/** A name for people to read: 1 to `max` characters, none of them control characters, no blanks at its ends. */
export function displayName(max: number) {
  return v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(max),
    v.check(
      (text) => !hasControlCharacters(text) && text.trim() === text,
      "must not hold control characters or blanks at its ends",
    ),
  );
}

/** A JSON object with free keys. Valibot's own record takes a list for one, with "0", "1", ... as its keys. */
export function mapOf<K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(key: K, value: V) {
  const record = v.record(key, value);
  const run: (typeof record)["~run"] = (dataset, config) => {
    if (!Array.isArray(dataset.value)) return record["~run"](dataset, config);
    v._addIssue(record, "type", dataset, config);
    return dataset as unknown as v.OutputDataset<never, never>;
  };
  return { ...record, "~run": run };
}
