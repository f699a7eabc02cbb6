/** Commands that begin a deployment. */
import type { Command } from "commander";
import { type Act, addresses, applying, watched } from "./options.ts";

export function beginning(program: Command, act: Act, words: readonly string[]): void {
  const load = () => import("../deployments/begin.ts");
  addresses(watched(program.command("plan [stack]").description("what would change; nothing is applied from it")))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .option("--allow-foreign", "also a commit that is not on the branch; it gets no secrets")
    .option("--local [directory]", "of the files here, committed or not")
    .action(act(async () => (await load()).plan));
  applying(addresses(watched(program.command("up [stack]").description("plan, show the changes, ask, apply"))))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .action(act(async () => (await load()).up));
  applying(addresses(watched(program.command("destroy [stack]").description("the same, to destroy what there is"))))
    .option("--commit <ref>", "of this commit, rather than of the branch")
    .action(act(async () => (await load()).destroy));
  applying(watched(program.command("refresh [stack]").description("take over what was changed outside"))).action(
    act(async () => (await load()).refresh),
  );
  applying(watched(program.command("retry [deployment]").description("the same deployment once more"))).action(
    act(async () => (await load()).retry),
  );
  watched(program.command("run [stack]").description("a command in the stack's directory: run STACK -- COMMAND"))
    .option("--break-glass <reason>", "also where what is applied on the stack is looked at before")
    .action(act(async () => (await load()).runCommand(words)));
}
