import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Drill, oneOfEach, severalOfEach } from '../kit/drill.ts';
import { progressPrinter } from '../kit/progress.ts';
import { recordRun } from '../runs.ts';

const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.drill.ts'));
const names = files.map((file) => file.replace('.drill.ts', ''));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    size: { type: 'string', default: 'full' },
    record: { type: 'boolean', default: false },
    many: { type: 'boolean', default: false },
    shards: { type: 'boolean', default: false },
    ledgers: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? '';

if (values.help || !names.includes(name) || (values.size !== 'small' && values.size !== 'full')) {
  console.log(
    `npm run drill -- NAME [--size small|full] [--record] [--many] [--shards] [--ledgers]\n\nDrills: ${names.join(', ')}\nThe last line is one JSON object: name, passed, the counts. --record keeps it in docs/drills.jsonl. --many: two apis, two collectors, three workers and two streams of visits, in the drills that start any. --shards: ClickHouse as a cluster of two shards. --ledgers: workspaces on two PostgreSQL servers, in the drills that are made for it.`,
  );
  process.exitCode = values.help ? 0 : 2;
} else {
  const { drill } = (await import(join(import.meta.dirname, `${name}.drill.ts`))) as { drill: Drill };
  if (values.ledgers && !drill.usesLedgers) throw new Error(`"${name}" is not made for two servers of the ledger.`);
  console.error(`${drill.name} (${values.size}): ${drill.promise}`);
  const startedAt = Date.now();
  if (values.shards) process.env.TEST_SHARDS = '2';
  if (values.ledgers) process.env.TEST_LEDGER_SHARDS = '2';
  const processes = values.many ? severalOfEach : oneOfEach;
  const result = await drill.run({ size: values.size, progress: progressPrinter(drill.name), processes });
  const seconds = Math.round((Date.now() - startedAt) / 100) / 10;
  const run = {
    name: drill.name,
    size: values.size,
    ...(values.many && { processes }),
    ...(values.shards && { shards: 2 }),
    ...(values.ledgers && { ledgers: 2 }),
    ...result,
    seconds,
  };
  console.log(JSON.stringify(run));
  if (values.record) recordRun('drills', run);
  // A timer or connection left open by a drill would otherwise keep this process alive.
  process.exit(result.passed ? 0 : 1);
}
