/** The order of test files: long ones first, so that no worker ends alone with one. */

import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Vitest itself knows durations only from an earlier run in the same checkout; longest first. */
const LONG = [
  "e2e/index-beside",
  "e2e/restart",
  "e2e/boot",
  "e2e/reorg",
  "e2e/trading",
  "e2e/demo",
  "e2e/backfill-crash",
  "e2e/main-job",
  "api/postgres/embedded-postgres",
  "api/media/decoder-queue",
  "bin/index/check",
  "bin/check",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Projects run in the order of this number.
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || this.rankOf(a) - this.rankOf(b));
  }

  private rankOf({ moduleId }: TestSpecification): number {
    const name = relative(`${this.ctx.config.root}/test`, moduleId).replace(".test.ts", "");
    const rank = LONG.indexOf(name);
    return rank === -1 ? LONG.length : rank;
  }
}
