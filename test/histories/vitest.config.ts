import { defineConfig } from "vitest/config";

// Apart from the tests: recording makes a new folder each time.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/histories/scenarios.record.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
