#!/usr/bin/env node
import { Command } from 'commander';
import { accessCommands } from './commands/access.ts';
import { auditCommand } from './commands/audit.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { erasureCommand } from './commands/erasure.ts';
import { identityCommand } from './commands/identity.ts';
import { importCommand } from './commands/import.ts';
import { initCommand } from './commands/init.ts';
import { keysCommand } from './commands/keys.ts';
import { migrateCommand } from './commands/migrate.ts';
import { ratesCommand } from './commands/rates.ts';
import { replayCommand } from './commands/replay.ts';
import { scoresCommand } from './commands/scores.ts';
import { spendCommand } from './commands/spend.ts';
import { upCommand } from './commands/up.ts';
import { userCommand } from './commands/user.ts';
import { visitsCommand } from './commands/visits.ts';
import { webhooksCommand } from './commands/webhooks.ts';
import { workCommand } from './commands/work.ts';
import { useLocalEngines } from './local.ts';
import { explain } from './output.ts';

const program = new Command('tributary')
  .description('Marketing attribution and customer journeys, explained to the cent.')
  .showHelpAfterError('Run it with --help to see what it takes.')
  .configureHelp({ sortSubcommands: false });

for (const command of [
  upCommand(),
  demoCommand(),
  initCommand(),
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
  workCommand(),
  webhooksCommand(),
  erasureCommand(),
  identityCommand(),
  auditCommand(),
])
  program.addCommand(command);

// `up` and `demo` start engines themselves; every other command finds those that `up` started.
program.hook('preAction', async (_program, command) => {
  if (!['up', 'demo'].includes(command.name())) await useLocalEngines();
});

try {
  await program.parseAsync();
} catch (error) {
  explain(error);
  process.exitCode = 1;
}
