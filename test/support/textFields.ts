/** Where a schema lets somebody write text of his own: fields whose values are not fixed. */

type Schema = {
  type: string;
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  options?: readonly Schema[];
  items?: readonly Schema[];
  key?: Schema;
  value?: Schema;
};

const FIXED = new Set(["boolean", "number", "bigint", "null", "undefined", "literal", "picklist", "enum"]);

/** Paths of texts, as `commit.message` and `gaps[]`. What has no schema of its own ends in `: unknown`. */
export function textFields(schema: unknown, path: string): string[] {
  const { type, entries, item, wrapped, options, key, value } = schema as Schema;
  if (FIXED.has(type)) return [];
  if (type === "string") return [path];
  if (entries !== undefined)
    return Object.entries(entries).flatMap(([name, field]) => textFields(field, `${path}.${name}`));
  if (type === "array" && item !== undefined) return textFields(item, `${path}[]`);
  if (wrapped !== undefined) return textFields(wrapped, path);
  if (Array.isArray(options) && typeof options[0] === "object") return options.flatMap((one) => textFields(one, path));
  if (type === "record" && key !== undefined && value !== undefined) return textFields(value, `${path}{}`);
  return [`${path}: ${type}`];
}
