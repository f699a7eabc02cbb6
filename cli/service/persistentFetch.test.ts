import { describe, expect, test } from "vitest";
import { Failure } from "../exit/failure.ts";
import { persistentFetch } from "./persistentFetch.ts";

const refused = () =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });

/** Answers one after the other, an error by throwing it. */
function scripted(...answers: (Response | Error)[]) {
  const troubles: (string | null)[] = [];
  let calls = 0;
  const send = async () => {
    const answer = answers[Math.min(calls++, answers.length - 1)]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const call = async (method = "GET", path = "/api/v1/x") => {
    const request = new Request(`http://service.example${path}`, { method });
    return persistentFetch(send, (why) => troubles.push(why))(request);
  };
  return { call, troubles, calls: () => calls };
}

describe("a call that is lost", () => {
  test("is sent again, and whoever waits is told why and when it is over", async () => {
    const { call, troubles } = scripted(refused(), new Response("", { status: 503 }), new Response("x"));
    expect((await call()).status).toBe(200);
    expect(troubles).toEqual([expect.stringContaining("cannot be reached (no)"), expect.stringContaining("503"), null]);
  });

  test.each([
    ["that changes something without a key", "POST", "/api/v1/orgs/o/stacks", new TypeError("fetch failed")],
    [
      "of whom no certificate is trusted",
      "GET",
      "/x",
      Object.assign(refused(), { cause: { code: "CERT_HAS_EXPIRED" } }),
    ],
    ["that the program itself refuses", "GET", "/x", Failure.of(1, "moved", "there")],
    ["by a fault of the program", "GET", "/x", new TypeError("x is not a function")],
  ])("%s is not", async (_, method, path, error) => {
    const { call, calls } = scripted(error);
    await expect(call(method, path)).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
