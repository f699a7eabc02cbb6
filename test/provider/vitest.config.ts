import { defineConfig } from "vitest/config";

// Apart from the tests: it needs Go, and builds a provider for about a minute the first time.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/provider/*.real.ts"],
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
