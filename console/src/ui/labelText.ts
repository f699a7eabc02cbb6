/** Labels as lines of text, one `key=value` each, and back. Pure. */

export function labelLines(labels: Readonly<Record<string, unknown>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join("\n");
}

/** A line without a sign of equality is a key with an empty value. Spaces around a line are none of its. */
export function readLabels(text: string): Record<string, string> {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const at = line.indexOf("=");
        return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
}
