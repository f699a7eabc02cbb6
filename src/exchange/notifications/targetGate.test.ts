import { describe, expect, it } from "vitest";
import { createGate, type Entry } from "./targetGate.ts";

function gateAt(limits = { perTarget: 2, perOrg: 3 }) {
  const clock = { now: 0 };
  return { clock, gate: createGate(limits, () => clock.now) };
}
const leave = (entry: Entry) => {
  if (!entry.in) throw new Error("was not in");
  entry.leave();
};

describe("createGate", () => {
  it("lets so many in to one target, and others in beside them", () => {
    const { gate } = gateAt();
    const first = gate.enter("a", "org");
    expect([first.in, gate.enter("a", "org").in, gate.enter("a", "org").in, gate.enter("b", "org").in]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    leave(first);
  });

  it("lets so many in of one organization, whatever the targets", () => {
    const { gate } = gateAt();
    const places = ["a", "b", "c"].map((target) => gate.enter(target, "org"));
    expect(gate.enter("d", "org").in).toBe(false);
    expect(gate.enter("d", "another").in).toBe(true);
    leave(places[0] as Entry);
    expect(gate.enter("d", "org").in).toBe(true);
  });

  it("a place that was left is free again", () => {
    const { gate } = gateAt();
    for (let i = 0; i < 10; i++) leave(gate.enter("a", "org"));
    expect(gate.enter("a", "org").in).toBe(true);
  });

  it("spreads those that find no place by how long the target takes, each at a turn of its own", () => {
    const { gate, clock } = gateAt();
    for (let i = 0; i < 20; i++) {
      const place = gate.enter("a", "org");
      clock.now += 10_000;
      leave(place);
    }
    gate.enter("a", "org");
    gate.enter("a", "org");
    const waits = Array.from({ length: 5 }, () => gate.enter("a", "org")).map((entry) =>
      entry.in ? 0 : entry.againMs,
    );
    expect(waits[0]).toBeGreaterThan(4_900);
    for (let i = 1; i < waits.length; i++)
      expect((waits[i] as number) - (waits[i - 1] as number)).toBeCloseTo(5_000, -2);
  });

  it("gives many targets of one organization turns among all of them, so that they look again as often as places come free", () => {
    const { gate, clock } = gateAt({ perTarget: 5, perOrg: 50 });
    for (let i = 0; i < 20; i++) {
      const place = gate.enter("slow", "org");
      clock.now += 10_000;
      leave(place);
    }
    for (let i = 0; i < 50; i++) expect(gate.enter(`t${i}`, "org").in).toBe(true);
    // One after the other, 200 ms apart, though none of their own targets is busy.
    const waits = Array.from({ length: 450 }, (_, i) => gate.enter(`w${i}`, "org")).map((e) => (e.in ? 0 : e.againMs));
    expect(waits.at(-1)).toBeGreaterThan(80_000);
    expect(new Set(waits.filter((ms) => ms > 500)).size).toBeGreaterThan(400);
    expect(gate.enter("w0", "another").in).toBe(true);
  });

  it("never sends anybody away for less than half a second, nor for more than ten minutes", () => {
    const { gate } = gateAt();
    gate.enter("a", "org");
    gate.enter("a", "org");
    const waits = Array.from({ length: 5_000 }, () => gate.enter("a", "org")).map((e) => (e.in ? 0 : e.againMs));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...waits)).toBe(600_000);
  });
});
