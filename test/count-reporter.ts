import type { Reporter, TestModule } from "vitest/node";

/** Closes a run with one plain line, `Tests: N passed, N failed, N skipped`, for CI to read. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((m) => [...m.children.allTests()].map((t) => t.result().state));
    const count = (state: string) => states.filter((s) => s === state).length;
    // A file that fails to load runs no test; it still has to show as a failure.
    const broken = modules.filter((m) => m.state() === "failed" && m.children.size === 0).length;
    const skipped = count("skipped");
    // Where everything is required, what was skipped wasn't tested.
    if (skipped > 0 && process.env.TOOLGATE_TEST_REQUIRE === "all") process.exitCode = 1;
    console.log(`\nTests: ${count("passed")} passed, ${count("failed") + broken} failed, ${skipped} skipped`);
  }
}
