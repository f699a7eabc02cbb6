/** A page in the person's browser, where there is one. */
import { spawn } from "node:child_process";
import type { Context } from "../context.ts";

/** Prints the address where no browser can be opened from, or where that was asked for. */
export async function openPage({ options, screen }: Context<{ print?: boolean }>, url: string): Promise<void> {
  screen.value({ url });
  if (options.print === true || !screen.terminal.interactive || !(await openBrowser(url, process.env)))
    screen.out(`${url}\n`);
}

/** @returns whether a program took it. An address is handed on as one argument, and no shell reads it. */
export async function openBrowser(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!/^https?:\/\//.test(url)) return false;
  const program = env.BROWSER || defaultOpener(process.platform);
  if (program === null || (process.platform === "linux" && !env.BROWSER && !env.DISPLAY && !env.WAYLAND_DISPLAY))
    return false;
  return new Promise((resolve) => {
    const { DEPLOY_TOKEN: _, ...passed } = env;
    const opened = spawn(program, [url], { stdio: "ignore", detached: true, env: passed });
    opened.once("error", () => resolve(false));
    opened.once("spawn", () => {
      opened.unref();
      resolve(true);
    });
  });
}

function defaultOpener(platform: NodeJS.Platform): string | null {
  if (platform === "darwin") return "open";
  if (platform === "win32") return "explorer";
  return platform === "linux" ? "xdg-open" : null;
}
