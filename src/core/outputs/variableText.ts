/** An output's value as the text of a variable: how an engine reads `TF_VAR_...`. Pure. */
import { parseLossless } from "../../platform/json/losslessJson.ts";

const STRING = /"(?:[^"\\]|\\.)*"/g;
const ESCAPED = /\\(.)|[$%]/gs;

/**
 * A text is given as it is. Everything else is read as an expression of the engine's language, which has JSON's lists
 * and objects, but takes `${` and `%{` inside a text for a template and knows no `\b` and `\f`. Digits stay.
 * @param json the value as JSON
 * @returns null for what no variable can hold: null, and a text with a NUL
 */
export function variableText(json: string): string | null {
  const value = parseLossless(json);
  if (value === null) return null;
  const text = typeof value === "string" ? value : JSON.stringify(value).replace(STRING, literal);
  return text.includes("\0") ? null : text;
}

function literal(quoted: string): string {
  return quoted.replace(ESCAPED, (found, escaped: string | undefined) => {
    if (found === "$") return "\\u0024";
    if (found === "%") return "\\u0025";
    if (escaped === "b") return "\\u0008";
    return escaped === "f" ? "\\u000c" : found;
  });
}
