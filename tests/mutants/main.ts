import { parseArgs } from 'node:util';
import { Supervisor } from '@tributary/engines';
import { inHashOrder } from '../kit/hash-order.ts';
import { Copy } from './copy.ts';
import type { Fault } from './fault.ts';
import { allFaults } from './faults.ts';
import { Progress } from './progress.ts';
import { runRandom } from './random/run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    most: { type: 'string', default: String(allFaults.length) },
    random: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    minutes: { type: 'string', default: '240' },
    limit: { type: 'string', default: '240' },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.random !== undefined) {
  await runRandom({
    count: Number(values.random),
    seed: values.seed,
    minutes: Number(values.minutes),
    limitSeconds: Number(values.limit),
    only: values.only.split(',').filter(Boolean).map(Number),
    isListed: values.list,
  });
  process.exit();
}
/** Faults in pure rules, whose tests need no engines. */
const isQuick = ({ tests }: Fault) => tests.every((test) => /^packages\/(rules|tracker\/source)\//.test(test));
const isFirstOfFile = (fault: Fault) => allFaults.find(({ file }) => file === fault.file) === fault;
const chosen = allFaults.filter(
  (fault) =>
    (positionals.length === 0 || positionals.some((word) => fault.id.includes(word) || fault.file.startsWith(word))) &&
    (!values.sample || (isQuick(fault) && isFirstOfFile(fault))),
);
const wanted = inHashOrder(chosen, ({ id }) => id).slice(0, Number(values.most));

if (values.help || wanted.length === 0) {
  console.log(`npm run mutants [-- WORD ...] [--sample] [--most N] [--resume] [--whole]

Makes one fault after another in a copy of the code and runs the tests that should notice it. A WORD selects faults by part of their id or
by the beginning of the file's path. --sample selects one fault per file of pure rules, --most N selects N at random. --resume skips faults
that have a verdict and whose file and tests have not changed. --whole runs the whole suite against missed faults. The last line is JSON:
faults, caught, missed.

npm run mutants -- --random N [--seed S] [--minutes M] [--limit SECONDS] [--only 3,17] [--list]

Draws N random mutants of product code, runs the nearest tests against each and lists the survivors. The same seed draws the same mutants
of the same code. --minutes starts no mutant after M minutes, --limit stops the tests of one mutant, --only runs these numbers of the draw,
--list only prints the draw. Results go to .engines/mutants-random/SEED.json. The exit code is 0 even if mutants survive.`);
  process.exit(values.help ? 0 : 2);
}

// Started here, because both lanes would start the engines at once in the same folder.
await new Supervisor().start();
const copies = [1, 2].map((lane) => new Copy(lane));
const progress = new Progress(copies[0] as Copy, values.resume);
const missed: string[] = [];
const waiting = wanted.filter((fault) => {
  const verdict = progress.of(fault);
  if (verdict && !verdict.by) missed.push(fault.id);
  return !verdict;
});
let done = wanted.length - waiting.length;
await Promise.all(
  copies.map(async (copy) => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      const { by, seconds, isSure } = await judge(fault, copy);
      if (isSure) progress.add(fault, { by, seconds });
      done += 1;
      if (!by) missed.push(fault.id);
      const line = by ? `caught  ${fault.id} by ${by}` : `MISSED  ${fault.id}: ${fault.breaks}`;
      console.error(`${done}/${wanted.length} ${seconds} s ${line}`);
    }
    copy.close();
  }),
);
console.log(JSON.stringify({ name: 'mutants', faults: wanted.length, caught: wanted.length - missed.length, missed }));
process.exit(missed.length === 0 ? 0 : 1);

/** Runs the tests one after the other until one fails. `isSure` is false if a test also fails without the fault. */
async function judge(fault: Fault, copy: Copy): Promise<{ by?: string; seconds: number; isSure: boolean }> {
  const from = Date.now();
  let isSure = true;
  for (const test of [...fault.tests, ...(values.whole ? [''] : [])]) {
    const by = await copy.runWith(fault, test);
    if (!by) continue;
    if (await isProven(test, copy)) return { by, seconds: secondsSince(from), isSure: true };
    isSure = false;
  }
  return { seconds: secondsSince(from), isSure };
}

/** A test that fails without any fault would count every fault as caught. */
async function isProven(test: string, copy: Copy): Promise<boolean> {
  if (progress.isProven(test)) return true;
  const failed = await copy.run(test);
  if (failed) console.error(`Ignored, because it fails without any fault: ${failed}`);
  else progress.addProven(test);
  return !failed;
}

function secondsSince(from: number): number {
  return Math.round((Date.now() - from) / 1_000);
}
