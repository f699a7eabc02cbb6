import { expect, it } from "vitest";
import { stepsIn } from "./versions.ts";

it("finds the commits that brought migrations, and which", () => {
  const [one, two] = ["a".repeat(40), "b".repeat(40)];
  const log = `commit ${one}\n\ndrizzle/0341_x.sql\ndrizzle/0342_y.sql\n\ncommit ${two}\n\ndrizzle/0340_z.sql\ndrizzle/schema.sql\n`;
  expect(stepsIn(log)).toEqual([
    { migrations: ["0341_x.sql", "0342_y.sql"], commit: one },
    { migrations: ["0340_z.sql"], commit: two },
  ]);
  expect(stepsIn(`commit ${one}\n\ndrizzle/schema.sql\n`)).toEqual([]);
});
