/** What axe finds on a page against WCAG 2.2 AA, in both themes. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

type Theme = (typeof THEMES)[number];
type Finding = { id: string; help: string; nodes: { target: unknown[]; failureSummary?: string }[] };

export const THEMES = ["light", "dark"] as const;

/** What was changed is on the screen. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** @param themes of which the page is put into each; what a browser has not laid out keeps the colours of the first */
export async function accessibilityFindings(page: Page, themes: readonly Theme[] = THEMES): Promise<string[]> {
  const source = await readFile(AXE, "utf8");
  const found: string[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await painted(page);
    // By the debugger, which the page's policy does not bind.
    await page.evaluate(source);
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Finding[] }> } };
      const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
      return (await axe.run({ runOnly: tags })).violations;
    });
    for (const { id, help, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.push(`${colorScheme}: ${id} (${help}) at ${target.join(" ")}: ${failureSummary ?? ""}`);
      }
    }
  }
  return found;
}
