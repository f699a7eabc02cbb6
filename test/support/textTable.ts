/**
 * A table of expectations as people read one: a header line, then a line for each row; neither names nor cells hold
 * blanks.
 */
export type TableRow = { row: string; cells: Record<string, string> };

export function tableOf(text: string): TableRow[] {
  const [header = [], ...lines] = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return lines.map(([row = "", ...cells]) => {
    if (cells.length !== header.length - 1) throw new Error(`row ${row} has ${cells.length} cells`);
    return { row, cells: Object.fromEntries(cells.map((cell, i) => [header[i + 1], cell])) };
  });
}
