import { parseArgs } from 'node:util';
import { type EngineName, engineNames, Supervisor } from './index.ts';

const help = `npm run engines [-- COMMAND] [ENGINE ...] [options]

Finds the engines at the addresses in your environment, else runs private ones with their data under .engines/.

Commands
  start     start what is not running (the default)
  status    what runs where
  stop      stop in good order
  kill      kill -9, as a power cut would
  pause     freeze; connections stay open and nothing answers
  resume    go on after a pause
  restart   stop, then start
  destroy   stop all and delete their data
  env       the settings that name the engines, one NAME=value a line

Engines: ${engineNames.join(', ')}; all of them when none is named.

Options
  --install   fetch what is missing first
  --set NAME  another set of private engines than "main"
  --help      this text
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    install: { type: 'boolean', default: false },
    set: { type: 'string', default: 'main' },
    help: { type: 'boolean', default: false },
  },
});

const [command = 'start', ...wanted] = positionals;
const unknown = wanted.find((name) => !engineNames.includes(name as EngineName));
const supervisor = new Supervisor(values.set);
const names = (wanted.length ? wanted : engineNames) as EngineName[];

const commands: Record<string, () => Promise<void>> = {
  async start() {
    if (values.install) await supervisor.install(names, (line) => console.log(line));
    await supervisor.start(names);
    await printStatus();
  },
  status: printStatus,
  async env() {
    const addresses = await supervisor.start(names);
    for (const [name, value] of Object.entries(addresses)) console.log(`${name}=${value}`);
  },
  stop: () => each((name) => supervisor.stop(name)),
  kill: () => each((name) => supervisor.kill(name)),
  pause: () => each(async (name) => supervisor.pause(name)),
  resume: () => each(async (name) => supervisor.resume(name)),
  restart: () => each((name) => supervisor.restart(name)),
  destroy: () => supervisor.destroy(),
};

const chosen = commands[command];
if (values.help || !chosen || unknown) {
  if (unknown) console.error(`There is no engine "${unknown}".\n`);
  else if (!chosen) console.error(`There is no command "${command}".\n`);
  console.log(help);
  process.exitCode = values.help ? 0 : 2;
} else {
  await chosen().catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}

async function each(act: (name: EngineName) => Promise<void>): Promise<void> {
  for (const name of names) {
    await act(name);
    console.log(`${name}: ${command} done`);
  }
}

async function printStatus(): Promise<void> {
  for (const name of names) {
    const { state, version, addresses } = await supervisor.status(name);
    const where = Object.values(addresses)[0]?.replace(/\/\/[^@/]*@/, '//');
    console.log(`${name.padEnd(10)} ${state.padEnd(13)} ${(version ?? '').padEnd(18)} ${where}`);
  }
}
