import { expect, it, vi } from "vitest";
import { assertBound } from "./boundRoles.ts";

const roles = ["a", "b", "c"].map((name) => ({ name, role_arn: `arn:${name}`, use_in_previews: true }));

it("names the roles that need no external id", async () => {
  await expect(assertBound(roles, async ({ name }) => name !== "b")).rejects.toMatchObject({
    status: 422,
    errors: [{ field: "config.roles", message: expect.stringMatching(/: a, c; /) }],
  });
});

it("takes what the cloud refuses", () => assertBound(roles, () => Promise.reject(new Error("AccessDenied"))));

it("takes what the cloud does not answer for in time", async () => {
  const soon = AbortSignal.timeout(50);
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(soon);
  await assertBound(roles, () => new Promise<boolean>(() => {}));
  timeout.mockRestore();
});
