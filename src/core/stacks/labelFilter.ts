/** `?labels=` of lists: `key=value` pairs joined by commas, all of which a stack must have. */
import { type SQL, sql } from "drizzle-orm";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";

/** As a condition on the column that holds a stack's labels. @throws InvalidValueError */
export function labelFilter(column: SQL, text: string): SQL {
  return sql`${column} @> ${JSON.stringify(pairs(text))}::jsonb`;
}

function pairs(text: string): Record<string, string> {
  const refused = (message: string) => new InvalidValueError([{ field: "labels", message }]);
  const labels = text.split(",").map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw refused("expected key=value pairs joined by commas");
    return [pair.slice(0, at), pair.slice(at + 1)] as const;
  });
  // No stack has two values for one key, and to go by one of them alone would be an answer to another question.
  if (new Set(labels.map(([key]) => key)).size < labels.length) throw refused("must name each key once");
  return Object.fromEntries(labels);
}
