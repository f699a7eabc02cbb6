import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { ASKED, nothing, type Seen } from "./quiet.ts";

const taking = (ms: number, slow: number): Seen => {
  const seen = nothing();
  for (const kind of ASKED) seen[kind] = [...Array<number>(98).fill(ms), slow, slow];
  seen.processed = [ms];
  return seen;
};

test("the slowest hundredth is compared with that of being alone, over all rounds", () => {
  const { bars } = judge([taking(10, 20), taking(10, 20)], [taking(12, 30), taking(12, 30)], {});
  for (const kind of ASKED) expect(bars[`${kind}_p99_to_alone`]).toMatchObject({ value: 1.5, ok: true });
  const slower = judge([taking(10, 20)], [taking(10, 31)], {});
  expect(slower.bars.poll_p99_to_alone).toMatchObject({ value: 1.55, ok: false });
});

test("one refusal of another organization's request is one too many", () => {
  const refused = taking(10, 20);
  refused.refused.sign_in = 1;
  expect(judge([taking(10, 20)], [refused], {}).bars.others_refused).toMatchObject({ value: 1, ok: false });
});
