import { defineConfig } from "vitest/config";

// Apart from the tests: it needs Go, and builds Gitea for eight minutes of CPU the first time.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/gitea/*.real.ts"],
    testTimeout: 240_000,
    hookTimeout: 3_600_000,
  },
});
