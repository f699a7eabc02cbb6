import { defineConfig } from "vitest/config";

// Two projects: quick unit tests beside their code, and everything that needs real Postgres, Temporal and Terraform.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          // Property tests on a machine that has other things to do.
          testTimeout: 20_000,
          // First the quick ones; two projects that differ in maxWorkers cannot share a group.
          sequence: { groupOrder: 0 },
          include: [
            "src/**/*.test.ts",
            "runner/**/*.test.ts",
            "workflows/**/*.test.ts",
            "activities/**/*.test.ts",
            "bench/**/*.test.ts",
            "bin/**/*.test.ts",
            "cli/**/*.test.ts",
            "console/**/*.test.ts",
            "clients/**/*.test.ts",
          ],
        },
      },
      {
        test: {
          name: "system",
          // As the services load their code, which takes two thirds of the time. `vi.mock` needs what is left out.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          sequence: { groupOrder: 1 },
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/support/globalSetup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: true,
          // Many wait for programs of their own: two at once would leave a third of two cores idle.
          maxWorkers: 3,
        },
      },
    ],
  },
});
