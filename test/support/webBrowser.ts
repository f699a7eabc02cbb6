/**
 * A real browser on the console. Whatever it complains about fails the test: an error in its console, a refused style
 * or script, a request to anywhere but the service.
 */
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, chromium as driver, type Page } from "playwright-core";
import { expect } from "vitest";

export const SIZES = {
  phone: { width: 390, height: 844 },
  laptop: { width: 1_280, height: 800 },
  wide: { width: 1_920, height: 1_080 },
} as const;

export type Theme = "light" | "dark";
export type Watched = { page: Page; context: BrowserContext; complaints: string[] };

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"];

/** npm brings it; one that is installed is taken with CHROMIUM_PATH. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath());
  return driver.launch({ executablePath, args: ARGUMENTS, headless: true });
}

type Signed = { baseUrl: string; sessionToken?: string; size?: keyof typeof SIZES; theme?: Theme };

/** A window of its own, signed in by the session of this token. */
export async function openWindow(browser: Browser, options: Signed): Promise<Watched> {
  const { baseUrl, sessionToken, size = "laptop", theme = "light" } = options;
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: theme, baseURL: baseUrl });
  context.setDefaultTimeout(15_000);
  if (sessionToken !== undefined) {
    await context.addCookies([
      { name: "svc_session", value: sessionToken, url: baseUrl, httpOnly: true, sameSite: "Lax" },
    ]);
  }
  const complaints: string[] = [];
  const page = await context.newPage();
  watch(page, baseUrl, complaints);
  return { page, context, complaints };
}

/** @param complaints is added to */
export function watch(page: Page, baseUrl: string, complaints: string[]): void {
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`page: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${baseUrl}/`) && !url.startsWith("data:") && !url.startsWith("blob:")) {
      complaints.push(`request outside of the service: ${url}`);
    }
  });
}

/** Nothing was complained about, but for what the test expects. */
export function expectCalm({ complaints }: Watched, ...expected: RegExp[]): void {
  expect(complaints.filter((line) => !expected.some((pattern) => pattern.test(line)))).toEqual([]);
}
