import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    reporters: ["default", "./test/count-reporter.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    maxWorkers: 3,
  },
});

export default config;
