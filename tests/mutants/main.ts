import { execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Fault } from './fault.ts';
import { allFaults } from './faults.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '../..');
const copy = join(root, '.engines/mutants');
/** Of pure rules, which need no engines: a minute in all. */
const isQuick = ({ tests }: Fault) => tests.every((test) => test.startsWith('packages/rules/'));
const wanted = allFaults.filter(
  (fault) =>
    (positionals.length === 0 || positionals.some((word) => fault.id.includes(word))) &&
    (!values.sample || isQuick(fault)),
);

if (values.help || wanted.length === 0) {
  console.log(`npm run mutants [-- WORD ...] [--sample] [--whole]

Makes one mistake after another in a copy of the code and runs the tests that should notice it; words choose by id. --sample takes
those of pure rules alone. --whole gives what passed there to the whole suite. The last line is JSON: faults, caught, missed.`);
  process.exit(values.help ? 0 : 2);
}

layCopy();
// Where the tests fail without any mistake, every mistake would pass for caught.
if (!(await passes([...new Set(wanted.flatMap(({ tests }) => tests))]))) {
  console.error('The tests fail before any mistake was made.');
  process.exit(1);
}
const missed: string[] = [];
for (const [place, fault] of wanted.entries()) {
  const isCaught = (await catches(fault, fault.tests)) || (values.whole && (await catches(fault, [])));
  if (!isCaught) missed.push(fault.id);
  console.error(`${place + 1}/${wanted.length} ${isCaught ? 'caught' : 'MISSED'} ${fault.id}: ${fault.breaks}`);
}
rmSync(copy, { recursive: true, force: true });
console.log(JSON.stringify({ name: 'mutants', faults: wanted.length, caught: wanted.length - missed.length, missed }));
process.exit(missed.length === 0 ? 0 : 1);

/** Whether any of the tests fails once the mistake is made. */
async function catches(fault: Fault, tests: readonly string[]): Promise<boolean> {
  const file = join(copy, fault.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(fault.from, () => fault.to),
  );
  try {
    return !(await passes(tests));
  } finally {
    writeFileSync(file, text);
  }
}

function passes(tests: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests, '--bail=1', '--reporter=dot'];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', env: { ...process.env, CI: '' } });
    child.on('close', (code) => resolve(code === 0));
  });
}

/** The tracked files and hard links to the packages; mistakes are made there, so that a killed run leaves none behind. */
function layCopy(): void {
  rmSync(copy, { recursive: true, force: true });
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  for (const file of files) {
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), readFileSync(join(root, file)));
  }
  // The engines are shared; each test has a database of its own.
  symlinkSync(join(root, '.engines'), join(copy, '.engines'));
  for (const packages of globSync('{,*/,*/*/}node_modules', { cwd: root })) {
    mkdirSync(dirname(join(copy, packages)), { recursive: true });
    execFileSync('cp', ['-al', join(root, packages), join(copy, packages)]);
  }
}
