import { defineConfig } from "vitest/config";

// Apart from the tests: each run makes the pictures of the manual anew.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/pictures/manual.record.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
