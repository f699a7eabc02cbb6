/** Commands about who is told of what. */
import { type Command, Option } from "commander";
import { type Act, collect } from "./options.ts";

export function notifying(program: Command, act: Act): void {
  const notifications = program.command("notifications").description("who is told of what happens");
  const integrations = () => import("../notifications/integrations.ts");
  const deliveries = () => import("../notifications/deliveries.ts");
  notifications
    .command("list")
    .description("the integrations of the organization")
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await integrations()).list));
  notifications
    .command("create <name>")
    .description("a new one; its secrets come from a file or stdin, never as arguments")
    .addOption(new Option("--as <form>", "in which form").choices(["slack", "teams", "email", "chat", "webhook"]))
    .option("--event <name>", "what is told, as often as needed", collect)
    .option("--label <key=value>", "only of stacks with this label; several must all fit", collect)
    .option("--changes-only", "not of plans without changes")
    .option("--to <address>", "of email: a recipient, as often as needed", collect)
    .option(
      "--input <file>",
      "the address, or auth_config as JSON; - is stdin. Of email: its server, if not the service's",
    )
    .action(act(async () => (await integrations()).create));
  notifications
    .command("test <name>")
    .description("send a sample at once, and say how the target answered")
    .action(act(async () => (await integrations()).test));
  notifications
    .command("deliveries")
    .description("what is on the way or was given up")
    .addOption(new Option("--status <status>", "only these").choices(["pending", "dead"]))
    .option("--limit <n>", "at most so many, 1 to 200")
    .action(act(async () => (await deliveries()).list));
  notifications
    .command("retry <delivery>")
    .description("send one again that was given up or waits")
    .action(act(async () => (await deliveries()).retry));
}
