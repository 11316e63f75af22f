#!/usr/bin/env node
import { Command } from 'commander';
import { accessCommands } from './commands/access.ts';
import { auditCommand } from './commands/audit.ts';
import { doctorCommand } from './commands/doctor.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { ratesCommand } from './commands/rates.ts';
import { replayCommand } from './commands/replay.ts';
import { scoresCommand } from './commands/scores.ts';
import { spendCommand } from './commands/spend.ts';
import { upCommand } from './commands/up.ts';
import { userCommand } from './commands/user.ts';
import { visitsCommand } from './commands/visits.ts';
import { useLocalEngines } from './local.ts';
import { explain } from './output.ts';

const program = new Command('tributary')
  .description('Marketing attribution and customer journeys, explained to the cent.')
  .showHelpAfterError('Run it with --help to see what it takes.')
  .configureHelp({ sortSubcommands: false });

for (const command of [
  upCommand(),
  migrateCommand(),
  doctorCommand(),
  ...accessCommands(),
  userCommand(),
  importCommand(),
  spendCommand(),
  keysCommand(),
  ratesCommand(),
  replayCommand(),
  scoresCommand(),
  visitsCommand(),
  auditCommand(),
])
  program.addCommand(command);

// `up` starts the engines itself; every other command finds those that it started.
program.hook('preAction', async (_program, command) => {
  if (command.name() !== 'up') await useLocalEngines();
});

try {
  await program.parseAsync();
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
