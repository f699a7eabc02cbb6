/** What is known of an entry, in a line. Pure. */

const MOST = 4;
const LONGEST = 60;

export function auditText(details: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(details);
  const shown = entries.slice(0, MOST).map(([name, value]) => `${name.replaceAll("_", " ")}: ${valueText(value)}`);
  const rest = entries.length - shown.length;
  return shown.join(" · ") + (rest > 0 ? ` · ${rest} more` : "");
}

function valueText(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
