import { describe, expect, test } from "vitest";
import { type Column, table } from "./table.ts";

type Row = { id: string; status: string; place: string };
const columns: Column<Row>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "status", value: ({ status }) => status },
  { title: "place", value: ({ place }) => place, cut: true },
];
const rows: Row[] = [
  { id: "network", status: "waiting", place: "https://git.example/acme/infrastructure.git live/network" },
  { id: "app", status: "-", place: "x\u001b[2J\ny" },
];

describe("a table", () => {
  test("is whole where nobody sees a terminal", () => {
    expect(table(rows, columns, null)).toBe(
      "ID       STATUS   PLACE\n" +
        "network  waiting  https://git.example/acme/infrastructure.git live/network\n" +
        "app      -        x y\n",
    );
  });

  test("is as wide as the terminal: what nobody types again is cut", () => {
    const lines = table(rows, columns, 40).split("\n");
    expect(lines[1]).toBe("network  waiting  https://git.example/a…");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  test("has a block for each row where even that does not fit", () => {
    expect(table(rows, columns, 20)).toBe(
      "id      network\nstatus  waiting\nplace   https://git.example/acme/infrastructure.git live/network\n\n" +
        "id      app\nstatus  -\nplace   x y\n",
    );
  });

  test("of no rows is nothing", () => {
    expect(table([], columns, 80)).toBe("");
  });
});
