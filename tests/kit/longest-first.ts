import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more. Begun last, one of them would keep a single core busy while the others wait for its end. */
const long = [
  'tests/generated/probe.test.ts',
  'tests/e2e/console.test.ts',
  'tests/e2e/console-people.test.ts',
  'domain/reports/as-of.test.ts',
  'domain/reports/market.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    if (sequence.shuffle) return inOrderOf(sequence.seed, root, files);
    const sorted = await super.sort(files);
    const isLong = (file: TestSpecification) => long.some((path) => file.moduleId.endsWith(path));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** Shuffled, the files come in any order, too: those of one worker share their modules. */
function inOrderOf(seed: number, root: string, files: readonly TestSpecification[]): TestSpecification[] {
  const placeOf = ({ moduleId }: TestSpecification) =>
    createHash('sha256')
      .update(`${seed} ${relative(root, moduleId)}`)
      .digest('hex');
  const places = new Map(files.map((file) => [file, placeOf(file)]));
  return files.toSorted((one, other) => ((places.get(one) ?? '') < (places.get(other) ?? '') ? -1 : 1));
}
