/** What every command is given: what was asked for, and where it may speak. */
import type { ExitCode } from "./exit/exitCodes.ts";
import { usage } from "./exit/failure.ts";
import { openSession, type Session } from "./service/session.ts";
import { parseDuration } from "./terminal/durations.ts";
import { Screen } from "./terminal/screen.ts";
import { terminalOf } from "./terminal/terminal.ts";
import { Attendance } from "./watching/attendance.ts";
import type { OnInterrupt } from "./watching/interrupt.ts";

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

export function sessionOf({ options, screen }: Context): Promise<Session> {
  return openSession(options, { onTrouble: (why) => screen.note(why) });
}

/** @throws Failure: usage */
export function attendanceOf({ options, screen }: Context): Attendance {
  const { timeout, onInterrupt } = options;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeoutMs === null) throw usage(`--timeout: ${timeout} is no length of time, such as 30m.`);
  if (onInterrupt !== undefined && onInterrupt !== "cancel" && onInterrupt !== "leave") {
    throw usage(`--on-interrupt: ${onInterrupt} is neither cancel nor leave.`);
  }
  return new Attendance(screen, { onInterrupt: onInterrupt as OnInterrupt | undefined, timeoutMs });
}
