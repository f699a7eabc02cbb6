/**
 * Query parameters are text on the wire. What else the document says of one, its type and its bounds, stands beside the
 * schema that reads the text.
 */
import * as v from "valibot";

type NumberRules = { minimum: number; maximum: number; description?: string };

/** A whole number; read by whoever knows what it counts. */
export function numberText({ minimum, maximum, description }: NumberRules) {
  return v.pipe(
    v.string(),
    v.metadata({ type: "integer", minimum, maximum, ...(description === undefined ? {} : { description }) }),
  );
}

/** An id that names nothing is no error in what was sent: the row is looked for, and not found. */
export function idText(description?: string) {
  return v.pipe(v.string(), v.metadata({ format: "uuid", ...(description === undefined ? {} : { description }) }));
}
