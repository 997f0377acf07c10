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
  "e2e/draining",
  "e2e/client",
  "e2e/strange-contracts",
  "e2e/operator-files",
  "e2e/phantoms",
  "e2e/partners",
  "api/catalog/export",
  "api/chain/ponder-transport",
  "api/postgres/embedded-postgres",
  "api/search/database-search",
  "api/media/decoder-queue",
  "api/refresh/hosts",
  "api/trading/verified-checks",
  "bin/index/check",
  "api/media/decoder",
  "api/chain/schema-lock",
  "api/http/server/guard",
  "api/refresh/sampling-schedule",
  "api/refresh/unseen",
  "bin/check",
];

const relativePath = (root: string, { moduleId }: TestSpecification): string =>
  relative(`${root}/test`, moduleId).replace(".test.ts", "");

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Projects run in the order of this number.
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || this.rankOf(a) - this.rankOf(b));
  }

  private rankOf(file: TestSpecification): number {
    const rank = LONG.indexOf(relativePath(this.ctx.config.root, file));
    return rank === -1 ? LONG.length : rank;
  }
}

/** Spreads the files that run a service evenly among the others: together, their starts would take all of the processor. */
export class Interleaved extends LongestFirst {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWhole = (file: TestSpecification): boolean =>
      relativePath(this.ctx.config.root, file).startsWith("e2e/");
    const whole = sorted.filter(isWhole);
    const parts = sorted.filter((file) => !isWhole(file));
    // Two at the start; each that ends is soon followed by another, and the last has others beside it to its end.
    const gap = Math.floor(parts.length / whole.length);
    const place = (nth: number): number => Math.max(0, nth - 1) * gap;
    return whole.reduceRight<TestSpecification[]>(
      (order, file, nth) => order.toSpliced(place(nth), 0, file),
      parts,
    );
  }
}
