/** Questions to the person at the terminal; on stderr, since stdout is for data. */
import type { Screen } from "./screen.ts";

export type Option<T extends string> = { value: T; label: string; hint?: string };

/** @returns null where the person pressed Ctrl-C, or the signal came first */
export async function choose<T extends string>(
  screen: Screen,
  message: string,
  options: readonly Option<T>[],
  signal?: AbortSignal,
): Promise<T | null> {
  const { isCancel, select } = await import("@clack/prompts");
  return screen.during(async () => {
    const common = { message, output: process.stderr, ...(signal && { signal }) };
    const answer = await select<string>({ ...common, options: options.map((option) => ({ ...option })) });
    return isCancel(answer) ? null : (answer as T);
  });
}

/** Text that is typed, and not shown. Null for Ctrl-C. */
export async function askSecret(screen: Screen, message: string): Promise<string | null> {
  const { isCancel, password } = await import("@clack/prompts");
  return screen.during(async () => {
    const answer = await password({ message, output: process.stderr });
    return isCancel(answer) ? null : answer;
  });
}

/** Text that is typed. Null for Ctrl-C. */
export async function askText(screen: Screen, message: string, placeholder?: string): Promise<string | null> {
  const { isCancel, text } = await import("@clack/prompts");
  return screen.during(async () => {
    const answer = await text({ message, output: process.stderr, ...(placeholder !== undefined && { placeholder }) });
    return isCancel(answer) ? null : answer.trim();
  });
}
