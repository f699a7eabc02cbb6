/** What every command is given: what was asked for, and where it may speak. */
import type { ExitCode } from "./exit/exitCodes.ts";
import { usage } from "./exit/failure.ts";
import { profileFolder } from "./profiles/folder.ts";
import { openService, openSession, type Session, type SessionOptions } from "./service/session.ts";
import { parseDuration } from "./terminal/durations.ts";
import { Screen } from "./terminal/screen.ts";
import { terminalOf } from "./terminal/terminal.ts";
import { Attendance } from "./watching/attendance.ts";
import type { OnInterrupt } from "./watching/interrupt.ts";
import { leftBehindOf } from "./watching/leftBehind.ts";

export type GlobalOptions = {
  host?: string;
  org?: string;
  profile?: string;
  stack?: string;
  json?: boolean;
  timeout?: string;
  onInterrupt?: string;
};

export type Context<Options = object> = { options: GlobalOptions & Options; screen: Screen };

export type Action<Options = object> = (context: Context<Options>, ...args: string[]) => Promise<ExitCode | undefined>;

export function contextOf<Options>(options: GlobalOptions & Options): Context<Options> {
  const json = options.json === true;
  return { options, screen: new Screen(terminalOf(process, process.env, json), json) };
}

function heardBy(screen: Screen): SessionOptions {
  return { onTrouble: (why) => screen.trouble("service", why), onNote: (text) => screen.note(text) };
}

/** Without an organization. */
export function serviceOf({ options, screen }: Context): ReturnType<typeof openService> {
  return openService(options, heardBy(screen));
}

export async function sessionOf({ options, screen }: Context): Promise<Session> {
  const session = await openSession(options, heardBy(screen));
  if (!screen.json) {
    for (const text of await leftBehindOf(session, profileFolder(process.env))) screen.note(text);
  }
  return session;
}

/** @throws Failure: usage */
export function attendanceOf({ options, screen }: Context): Attendance {
  const { timeout, onInterrupt } = options;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeoutMs === null) throw usage(`--timeout: ${timeout} is no length of time, such as 30m.`);
  if (onInterrupt !== undefined && onInterrupt !== "cancel" && onInterrupt !== "leave") {
    throw usage(`--on-interrupt: ${onInterrupt} is neither cancel nor leave.`);
  }
  const folder = profileFolder(process.env);
  return new Attendance(screen, { onInterrupt: onInterrupt as OnInterrupt | undefined, timeoutMs, folder });
}
