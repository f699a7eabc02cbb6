import * as v from "valibot";

/**
 * A JSON object with free keys, each kept whatever it is. Valibot's own record takes a list for one, with "0", "1", ...
 * as its keys, and drops `constructor`, `prototype` and `__proto__` without a word: a selector of nothing else would
 * become one that matches everything.
 */
export function mapOf<K extends v.GenericSchema<string, string>, V extends v.GenericSchema>(key: K, value: V) {
  const record = v.record(key, value);
  type Run = (typeof record)["~run"];
  const run = (dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) => {
    const input = dataset.value;
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      v._addIssue(record, "type", dataset as never, config);
      return dataset;
    }
    const issues: v.BaseIssue<unknown>[] = [];
    const entries: [string, unknown][] = [];
    let typed = true;
    for (const [name, item] of Object.entries(input)) {
      const path = (origin: "key" | "value") => ({ type: "object" as const, origin, input, key: name, value: item });
      const keyed = key["~run"]({ value: name }, config);
      for (const issue of keyed.issues ?? []) issues.push({ ...issue, path: [path("key")] } as never);
      const valued = value["~run"]({ value: item }, config);
      for (const issue of valued.issues ?? [])
        issues.push({ ...issue, path: [path("value"), ...(issue.path ?? [])] } as never);
      typed &&= keyed.typed && valued.typed;
      if (keyed.typed) entries.push([keyed.value, valued.value]);
    }
    // `fromEntries` gives an object its own `__proto__`; an assignment would not.
    return { typed, value: Object.fromEntries(entries), ...(issues.length > 0 && { issues }) };
  };
  return { ...record, "~run": run as unknown as Run };
}

/** What an object itself has under a name that somebody chose; undefined where it would only inherit one. */
export function ownMember(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}
