/** What `/metrics` shows: the registry, after those who compute figures on demand had their turn. */
import type { Registry } from "prom-client";

export type MetricsSource = Pick<Registry, "contentType"> & { metrics(): Promise<string> };

/**
 * Sets gauges, and returns further lines in Prometheus's format, if any. Must settle by itself: a scrape waits for it.
 */
export type BeforeScrape = () => Promise<string>;

export class Scrape implements MetricsSource {
  readonly #registry: Registry;
  readonly #refreshes: BeforeScrape[] = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get contentType(): Registry["contentType"] {
    return this.#registry.contentType;
  }

  before(refresh: BeforeScrape): void {
    this.#refreshes.push(refresh);
  }

  async metrics(): Promise<string> {
    const further = await Promise.all(this.#refreshes.map((refresh) => refresh()));
    const own = await this.#registry.metrics();
    return [own, ...further].filter((lines) => lines !== "").join("\n");
  }
}
