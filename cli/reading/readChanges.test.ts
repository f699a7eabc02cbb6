import { expect, test } from "vitest";
import { digitsOf } from "../../clients/plan/exactJson.ts";
import type { Session } from "../service/session.ts";
import { readChanges } from "./readChanges.ts";

const PATH = { stackId: "network", id: "d" };
const LINES = { "content-type": "application/x-ndjson", "x-plan-run": "r" };

/** A service that answers so, one after the other. @returns what it was asked */
function answering(...answers: Response[]) {
  const asked: { path: string; accept: string | null }[] = [];
  const session = {
    orgId: "o",
    fetch: async (path: string, init: RequestInit = {}) => {
      asked.push({ path, accept: new Headers(init.headers).get("accept") });
      return answers.shift() as Response;
    },
  } as unknown as Session;
  return { session, asked };
}

/** @param broken instead of its end */
function pieces(bytes: Uint8Array, size: number, broken = false): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      if (broken) controller.error(new TypeError("terminated"));
      else controller.close();
    },
  });
}

test("lines are read whatever the pieces they come in, with every digit", async () => {
  const text = '{"address":"a.ü","after":9223372036854773263}\n{"address":"b"}';
  const { session, asked } = answering(new Response(pieces(Buffer.from(text), 3), { headers: LINES }));
  const { run_id, items } = await readChanges(session, PATH, "r");
  expect([run_id, items.map(({ address }) => address)]).toEqual(["r", ["a.ü", "b"]]);
  expect(digitsOf((items[0] as { after: unknown }).after)).toBe("9223372036854773263");
  expect(asked).toEqual([
    {
      path: "/api/v1/orgs/o/stacks/network/deployments/d/plan/changes?run_id=r",
      accept: expect.stringContaining("application/x-ndjson"),
    },
  ]);
});

test("a connection that breaks in the middle is asked once more, from the beginning", async () => {
  const whole = Buffer.from('{"address":"a"}\n{"address":"b"}\n');
  const { session } = answering(
    new Response(pieces(whole.subarray(0, 20), 20, true), { headers: LINES }),
    new Response(pieces(whole, 100), { headers: LINES }),
  );
  expect((await readChanges(session, PATH)).items).toHaveLength(2);
});

test("of a service that has pages alone they are read to the last one, of the plan that the first is of", async () => {
  const page = (address: string, next_cursor: string | null) =>
    Response.json({ run_id: "r", items: [{ address }], next_cursor });
  const { session, asked } = answering(page("a", "c1"), page("b", "c2"), page("c", null));
  const { run_id, items } = await readChanges(session, PATH);
  expect([run_id, items.map(({ address }) => address)]).toEqual(["r", ["a", "b", "c"]]);
  expect(asked.slice(1).map(({ path }) => path.split("?")[1])).toEqual([
    "limit=200&run_id=r&cursor=c1",
    "limit=200&run_id=r&cursor=c2",
  ]);
});
