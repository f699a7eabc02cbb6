/** Commands about who one is. */
import type { Command } from "commander";
import type { Act } from "./options.ts";

export function signingIn(program: Command, act: Act): void {
  const load = () => import("../login/account.ts");
  program
    .command("login")
    .description("sign in, by a browser here or elsewhere")
    .option("--with-token", "read a token from stdin instead")
    .option("--no-browser", "only print the address")
    .action(act(async () => (await import("../login/login.ts")).login));
  program
    .command("logout")
    .description("sign out, and delete the token")
    .action(act(async () => (await load()).logout));
  program
    .command("whoami")
    .description("who is signed in, and where")
    .action(act(async () => (await load()).whoami));
  const profile = program.command("profile").description("several sign-ins");
  profile
    .command("list")
    .description("all of them")
    .action(act(async () => (await load()).listProfiles));
  profile
    .command("use <name>")
    .description("the one that is used when none is named")
    .action(act(async () => (await load()).useProfile));
  profile
    .command("rm <name>")
    .description("sign out of one")
    .action(act(async () => (await load()).removeProfile));
}
