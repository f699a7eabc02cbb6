/** The dashboard and the alert rules we ship name metrics, labels and label values that exist. */
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { createMetrics } from "./metrics.ts";

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), "utf8");

type Panel = { id: number; targets?: { expr: string }[]; gridPos: { x: number; y: number; w: number; h: number } };
type Rule = {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string };
};

const dashboard = JSON.parse(await read("grafana-dashboard.json")) as { panels: Panel[] };
const rules = parse(await read("alerts.yaml")).groups.flatMap((group: { rules: Rule[] }) => group.rules) as Rule[];
const expressions = [...dashboard.panels.flatMap(({ targets = [] }) => targets), ...rules].map(({ expr }) => expr);

/** Label names by metric; of the Temporal SDK's, which appear once there is something to tell, those of the manual. */
async function known(): Promise<Map<string, string[]>> {
  const { registry } = createMetrics();
  const ours = registry.getMetricsAsArray() as unknown as { name: string; labelNames: string[] }[];
  const manual = [...(await read("operations.md")).matchAll(/^\| `(temporal_\w+)`/gm)].map(([, name = ""]) => name);
  return new Map<string, string[]>([
    ...ours.map(({ name, labelNames }) => [name, labelNames] as [string, string[]]),
    ...manual.map((name) => [name, []] as [string, string[]]),
  ]);
}

const base = (name: string) => name.replace(/_(?:bucket|count|sum)$/, "");

it("each metric they name exists, with the labels they ask for", async () => {
  const metrics = await known();
  const named = expressions.flatMap((expr) =>
    [...expr.matchAll(/\b((?:svc|temporal)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", labels = ""]) => ({
      name,
      labels,
    })),
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(({ name }) => !metrics.has(name) && !metrics.has(base(name)));
  expect(missing).toEqual([]);
  for (const { name, labels } of named) {
    const has = metrics.get(name) ?? metrics.get(base(name)) ?? [];
    for (const [, label = ""] of labels.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
      expect([name, has]).toEqual([name, expect.arrayContaining([label])]);
  }
});

it("each of the service's own metrics is on the dashboard", async () => {
  const text = JSON.stringify(dashboard);
  const own = [...(await known()).keys()].filter((name) => /^(?:svc|temporal)_/.test(name));
  expect(own.filter((name) => !text.includes(name))).toEqual([]);
});

it("every alert says how bad, since when and what", () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const rule of rules) {
    expect(rule).toMatchObject({
      alert: expect.stringMatching(/^Svc[A-Z]/),
      for: expect.stringMatching(/^\d+[mh]$/),
      labels: { severity: expect.stringMatching(/^(?:warning|critical)$/) },
      annotations: { summary: expect.stringMatching(/./) },
    });
  }
});

it("what waits on purpose wakes nobody: a critical alert on ages of messages is of urgent classes alone", () => {
  const critical = rules.filter(({ labels, expr }) => labels.severity === "critical" && /outbox\w*_age/.test(expr));
  expect(critical.map(({ expr }) => /svc_outbox_class_oldest_age_seconds\{class=~"0\|1"\}/.test(expr))).toEqual([true]);
});

it("no panel lies on another", () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});
