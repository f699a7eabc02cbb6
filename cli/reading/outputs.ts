/** `deploy output [NAME]` and `deploy outputs [STACK]`: what the newest apply of a stack left. */
import { answerOf } from "../../clients/api/client.ts";
import { ApiError } from "../../clients/api/problem.ts";
import { exactText, parseExact } from "../../clients/plan/exactJson.ts";
import { type Action, type Context, sessionOf } from "../context.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Output, Outputs } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";

export type OutputOptions = { raw?: boolean };

const HIDDEN = "<sensitive>";

/** One by its name, or all of them. */
export const output: Action<OutputOptions> = async (context, name) => {
  const { options, screen } = context;
  if (options.raw === true && (name === undefined || screen.json)) {
    throw usage(
      name === undefined ? "--raw is for one output: name it." : "--raw and --json do not go together.",
      "Run: deploy output NAME --raw",
    );
  }
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, options.stack);
  return name === undefined ? listed(context, session, stackId) : one(context, session, stackId, name);
};

export const outputs: Action = async (context, named) => {
  const session = await sessionOf(context);
  return listed(context, session, await stackIdOf(session, named ?? context.options.stack));
};

async function listed({ screen }: Context, session: Session, stackId: string): Promise<ExitCode> {
  const found = await readAll(session, stackId);
  const { items, ...rest } = found;
  screen.valueText(`{"items":[${items.map(exact).join(",")}],${JSON.stringify(rest).slice(1)}`);
  screen.out(found.items.map((each) => `${each.name} = ${shown(each)}\n`).join(""));
  for (const { stack_id } of found.waits_for) {
    screen.note(`${stackId} waits for outputs of ${stack_id ?? "a stack that you may not see"}.`);
  }
  if (found.items.length === 0) screen.note(whyNone(found, stackId));
  return EXIT.done;
}

async function one(
  { screen, options }: Context<OutputOptions>,
  session: Session,
  stackId: string,
  name: string,
): Promise<ExitCode> {
  const found = await named(session, stackId, name);
  const asked = options.raw === true || screen.json;
  const answer = found.sensitive && asked ? await revealed(session, stackId, name) : found;
  if (options.raw === true) process.stdout.write(rawText(name, answer.value));
  screen.valueText(exact(answer));
  if (!asked) screen.out(`${shown(found)}\n`);
  if (!asked && found.sensitive)
    screen.note(`It is sensitive. To have it: deploy output ${name} --stack ${stackId} --raw`);
  return EXIT.done;
}

async function readAll({ api, orgId }: Session, stackId: string): Promise<Outputs> {
  const path = { org_id: orgId, stack_id: stackId };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs", { params: { path } }));
}

/** @throws Failure that says which ones there are */
async function named(session: Session, stackId: string, name: string): Promise<Output> {
  const all = await readAll(session, stackId);
  const found = all.items.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.items.map((each) => each.name).join(", ");
  throw Failure.of(
    EXIT.notFound,
    `${stackId} has no output ${name}.`,
    names === "" ? whyNone(all, stackId) : `There are: ${names}`,
  );
}

async function revealed({ api, orgId }: Session, stackId: string, name: string): Promise<Output> {
  const path = { org_id: orgId, stack_id: stackId, name };
  try {
    return await answerOf(
      api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/outputs/{name}", {
        params: { path, query: { reveal: "true" } },
      }),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw Failure.of(
      EXIT.notFound,
      `Output ${name} is sensitive, and you may not see it.`,
      "Ask for (stack, read_state) on this stack",
    );
  }
}

function whyNone({ known, run_id }: Outputs, stackId: string): string {
  if (run_id === null) return `Nothing was applied yet. Run: deploy up ${stackId}`;
  return known ? "It has no outputs." : `Its newest apply has told none. Run: deploy up ${stackId}`;
}

/** Type and value are JSON already, the value with the engine's digits. */
function exact({ name, type, sensitive, value }: Output): string {
  return `{"name":${JSON.stringify(name)},"type":${type},"sensitive":${sensitive},"value":${value ?? "null"}}`;
}

function shown({ sensitive, value }: Output): string {
  if (value === null) return sensitive ? HIDDEN : "null";
  return cleaned(exactText(parseExact(value), 2));
}

/** What a script takes: a text, a number or a flag, and nothing around it. @throws Failure */
function rawText(name: string, value: string | null): string {
  const parsed: unknown = value === null ? null : parseExact(value);
  if (value === null || parsed === null || (typeof parsed === "object" && parsed !== null)) {
    throw usage(`Output ${name} is no text, number or flag.`, `Run: deploy output ${name} --json`);
  }
  return value.startsWith('"') ? (JSON.parse(value) as string) : value;
}
