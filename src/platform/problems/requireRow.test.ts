import { expect, it } from "vitest";
import { NotFoundError } from "./problem.ts";
import { requireRow, requireUuids } from "./requireRow.ts";

const ID = "01a21fcb-392b-777b-880c-3b481c3a3b9a";

it("gives the one row, and refuses none like a text that can be no id", () => {
  expect(requireRow([{ id: ID }])).toEqual({ id: ID });
  expect(() => requireRow([])).toThrow(NotFoundError);
  expect(() => requireUuids(ID, ID.toUpperCase())).not.toThrow();
  expect(() => requireUuids(ID, `${ID} `)).toThrow(NotFoundError);
});
