/** A browser window of a bench, and what is measured in it. */
import chromium from "@sparticuz/chromium";
import { type Browser, type CDPSession, chromium as driver, type Page } from "playwright-core";

export async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath());
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  return driver.launch({ executablePath, args, headless: true });
}

export type BenchWindow = { page: Page; devtools: CDPSession; complaints: string[]; close(): Promise<void> };

export async function openWindow(browser: Browser, baseUrl: string, sessionToken: string): Promise<BenchWindow> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, baseURL: baseUrl });
  context.setDefaultTimeout(60_000);
  await context.addCookies([
    { name: "svc_session", value: sessionToken, url: baseUrl, httpOnly: true, sameSite: "Lax" },
  ]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseUrl}/`)) complaints.push(`request elsewhere: ${request.url()}`);
  });
  const devtools = await context.newCDPSession(page);
  return { page, devtools, complaints, close: () => context.close() };
}

/** 10 Mbit/s with the round trip of a good line. */
export async function slowLine({ devtools }: BenchWindow): Promise<void> {
  await devtools.send("Network.enable");
  const bytes = (10 * 1_000_000) / 8;
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 20,
    downloadThroughput: bytes,
    uploadThroughput: bytes,
  });
}

/** Milliseconds from the navigation to the largest paint. */
export function largestPaint(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
      .observe({ type: "largest-contentful-paint", buffered: true });
  })`);
}

/** Milliseconds from the navigation until `selector` is there, looked at each frame. */
export function shownAfter(page: Page, selector: string): Promise<number> {
  return page.evaluate<number>(untilShown(selector, "0", ""));
}

/** Its head is there, and nothing of it is still being read. */
export async function isWhole(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.locator("main [aria-busy=true], main [aria-label^=Loading]").first().waitFor({ state: "detached" });
}

/** Milliseconds that `act`, a script, takes until `selector` is there. */
export function takes(page: Page, act: string, selector: string): Promise<number> {
  return page.evaluate<number>(untilShown(selector, "performance.now()", act));
}

const LONGEST_MS = 60_000;

function untilShown(selector: string, since: string, act: string): string {
  return `new Promise((done, fail) => {
    const started = ${since};
    const last = performance.now() + ${LONGEST_MS};
    ${act};
    const look = (now) => {
      if (document.querySelector(${JSON.stringify(selector)})) done(performance.now() - started);
      else if (now > last) fail(new Error(${JSON.stringify(selector)} + " never came: " + document.body.innerText.slice(0, 2000)));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`;
}

/** The longest that the page's thread was blocked since the navigation, in milliseconds; 0 for less than 50. */
export function longestTask(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((done) => {
    let longest = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    });
    observer.observe({ type: "longtask", buffered: true });
    // Those that were are handed over before the second frame, where there were any.
    requestAnimationFrame(() => requestAnimationFrame(() => done(longest)));
  })`);
}

/** Milliseconds between frames while the page scrolls as by a wheel. */
export function scrollFrames(page: Page, scroll: string): Promise<number[]> {
  return page.evaluate<number[]>(`new Promise((done) => {
    const frames = [];
    let before = performance.now();
    const step = (now) => {
      frames.push(now - before);
      before = now;
      ${scroll};
      if (frames.length < 120) requestAnimationFrame(step);
      else done(frames.slice(5));
    };
    requestAnimationFrame(step);
  })`);
}
