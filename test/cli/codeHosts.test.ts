/** `deploy code-hosts`: how the hosts answer, what their webhooks lack, and asking one now. */
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { cliTest as test } from "../support/cliTest.ts";

test("lists them with their state, tells of one what it cannot do, and asks it now", async ({ world }) => {
  const { sql } = world.api.database;
  const check = {
    at: "2026-01-01T00:00:00Z",
    repository: "git.example/a/b",
    state: "incomplete",
    missing: ["Push"],
    reason: null,
  };
  const common = {
    org_id: world.org,
    url_pattern: "^https://git\\.example/",
    api_base_url: "https://git.example/api/v1",
  };
  await sql`insert into scm_integrations ${sql({ ...common, name: "forge", host_kind: "gitea", webhook_check: sql.json(check), last_success_at: new Date() })}`;
  await sql`insert into scm_integrations ${sql({ ...common, name: "away", last_failure_at: new Date(), last_failure: "HTTP 503" })}`;
  const listed = await world.run(["code-hosts"]);
  expect(listed).toMatchObject({ code: EXIT.done, stderr: "" });
  expect(listed.stdout).toMatch(/away +github +fails +- +- +HTTP 503\nforge +gitea +answers +\S+ +incomplete/);
  const { stdout } = await world.run(["code-hosts", "forge"]);
  expect(stdout).toContain("webhook: incomplete, missing: Push\n");
  expect(stdout).toContain("- It has no apps");
  const asked = ["code-hosts", "forge", "--test", "--repository", "https://git.example/a/b"];
  expect(await world.run(asked)).toMatchObject({
    code: EXIT.failed,
    stdout: expect.stringContaining("git.example/a/b: "),
  });
  expect(await world.run(["code-hosts", "none"])).toMatchObject({ code: EXIT.notFound });
  expect(await world.run(["code-hosts", "--test"])).toMatchObject({ code: EXIT.usage });
});
