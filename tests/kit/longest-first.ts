import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { inHashOrder } from './hash-order.ts';

/** Files that take a minute or more. If one started last, it would keep a single core busy while the others idle. */
const long = [
  'tests/generated/probe.test.ts',
  'tests/e2e/console.test.ts',
  'tests/e2e/console-people.test.ts',
  'domain/measurement/reports/as-of.test.ts',
  'domain/measurement/reports/market.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    // With shuffling, files are shuffled too, because files of one worker share their modules.
    if (sequence.shuffle) return inHashOrder(files, ({ moduleId }) => `${sequence.seed} ${relative(root, moduleId)}`);
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification) => long.some((path) => file.moduleId.endsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
