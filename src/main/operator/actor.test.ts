import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { operator } from "./actor.ts";

/** Of nobody. */
const UID = 3_999_999;

test("an operator is known by the name of their account", () => {
  expect(operator()).toEqual({ id: `operator:${userInfo().username}`, kind: "operator" });
});

test.runIf(process.getuid?.() === 0)("a user without an account is known by number, and runs Postgres itself", () => {
  const modules = ["./actor.ts", "../dev/postgresUser.ts"].map((file) => new URL(file, import.meta.url).href);
  const script = `const [{ operator }, { postgresUser }] = await Promise.all(${JSON.stringify(modules)}.map((file) => import(file)));
    process.setgid(${UID});
    process.setuid(${UID});
    console.log(operator().id, await postgresUser());`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(printed).toBe(`operator:${UID} undefined\n`);
});
