import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '@tributary/testkit';
import { progressPrinter } from '../tests/kit/progress.ts';
import { recordRun } from '../tests/runs.ts';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''));
const name = process.argv[2] ?? '';

if (!names.includes(name)) {
  console.log(
    `npm run bench -- NAME [--small] [--record]\n\nBenches: ${names.join(', ')}\nThe last line is one JSON object: name, ratio, better, the raw figures, the sizes. --small takes a size that only shows that it runs, where a bench has one; --record keeps the line in docs/benchmarks.jsonl.`,
  );
  process.exitCode = name === '--help' ? 0 : 2;
} else {
  const { bench } = (await import(join(import.meta.dirname, `${name}.bench.ts`))) as { bench: Bench };
  console.error(`${bench.name}: ${bench.question}`);
  const result = await bench.run({
    progress: progressPrinter(bench.name),
    isSmall: process.argv.includes('--small'),
  });
  const run = { name: bench.name, better: bench.better, ...result };
  console.log(JSON.stringify(run));
  if (process.argv.includes('--record')) recordRun('benchmarks', run);
  process.exit(0);
}
