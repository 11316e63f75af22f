#!/usr/bin/env node
import { Command } from 'commander';
import packageFile from '../../package.json' with { type: 'json' };
import { printError } from './output.ts';

interface Entry {
  readonly about: string;
  /** Loads only the requested command: the modules of all commands take seconds to load. */
  readonly load: () => Promise<Command>;
}

const commands: Readonly<Record<string, Entry>> = {
  up: {
    about: 'Start everything on this machine: engines where none are configured, migrations, api, collector, worker',
    load: async () => (await import('./commands/up.ts')).upCommand(),
  },
  demo: {
    about: 'Start everything on engines of its own, with a simulated market to look at',
    load: async () => (await import('./commands/demo.ts')).demoCommand(),
  },
  init: {
    about: 'Begin: a workspace with its profile, somebody who may sign in, an API key and the tracker',
    load: async () => (await import('./commands/init.ts')).initCommand(),
  },
  'first-account': {
    about: 'A link with which the first account is made in the browser, while nobody has one',
    load: async () => (await import('./commands/first-account.ts')).firstAccountCommand(),
  },
  migrate: {
    about: 'Bring the schemas of PostgreSQL and ClickHouse up to date; safe while an older version serves',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  },
  doctor: {
    about: 'Look at settings, engines, background work, clocks and disk: what is wrong, and what to do',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  },
  conformance: {
    about: 'Check a running installation against the rules of the specification, over its public API',
    load: async () => (await import('./commands/conformance.ts')).conformanceCommand(),
  },
  backup: {
    about: 'Copy all stores as they are at one moment, sealed, while everything goes on',
    load: async () => (await import('./commands/backup.ts')).backupCommand(),
  },
  restore: {
    about: 'Bring a backup back into empty engines, without those who were erased since',
    load: async () => (await import('./commands/restore.ts')).restoreCommand(),
  },
  rebuild: {
    about: 'Fill a ClickHouse that lost its data again, from the visits log and PostgreSQL, while everything runs',
    load: async () => (await import('./commands/rebuild.ts')).rebuildCommand(),
  },
  workspace: {
    about: 'Workspaces',
    load: async () => (await import('./commands/tenants.ts')).workspaceCommand(),
  },
  profile: {
    about: 'Profiles',
    load: async () => (await import('./commands/tenants.ts')).profileCommand(),
  },
  app: {
    about: 'Partner apps',
    load: async () => (await import('./commands/credentials.ts')).appCommand(),
  },
  key: {
    about: 'API keys of a profile',
    load: async () => (await import('./commands/credentials.ts')).keyCommand(),
  },
  user: {
    about: 'People who sign in to the console',
    load: async () => (await import('./commands/user.ts')).userCommand(),
  },
  import: {
    about: 'Bring in what is known already',
    load: async () => (await import('./commands/import.ts')).importCommand(),
  },
  export: {
    about: 'Write figures to files',
    load: async () => (await import('./commands/export.ts')).exportCommand(),
  },
  spend: {
    about: 'What was spent on ads',
    load: async () => (await import('./commands/spend.ts')).spendCommand(),
  },
  keys: {
    about: "The service's own keys (not API keys): rotate while it runs",
    load: async () => (await import('./commands/keys.ts')).keysCommand(),
  },
  database: {
    about: 'Passwords of PostgreSQL: rotate while processes are connected',
    load: async () => (await import('./commands/database.ts')).databaseCommand(),
  },
  rates: {
    about: 'Exchange rates',
    load: async () => (await import('./commands/rates.ts')).ratesCommand(),
  },
  replay: {
    about: 'Work out the attribution of a profile anew; stopped with Ctrl-C, it goes on there within a day',
    load: async () => (await import('./commands/replay.ts')).replayCommand(),
  },
  scores: {
    about: 'Scores of ads',
    load: async () => (await import('./commands/scores.ts')).scoresCommand(),
  },
  visits: {
    about: 'What browsers sent',
    load: async () => (await import('./commands/visits.ts')).visitsCommand(),
  },
  work: {
    about: 'Background work that was set aside',
    load: async () => (await import('./commands/work.ts')).workCommand(),
  },
  webhooks: {
    about: 'Deliveries of events',
    load: async () => (await import('./commands/webhooks.ts')).webhooksCommand(),
  },
  erasure: {
    about: 'People who were erased',
    load: async () => (await import('./commands/erasure.ts')).erasureCommand(),
  },
  identity: {
    about: 'Who is one person',
    load: async () => (await import('./commands/identity.ts')).identityCommand(),
  },
  audit: {
    about: 'The log of who changed what',
    load: async () => (await import('./commands/audit.ts')).auditCommand(),
  },
};
const aliases: Readonly<Record<string, string>> = { dev: 'up' };

const program = new Command('tributary')
  .description('Marketing attribution and customer journeys, explained to the cent.')
  .version(packageFile.version)
  .showHelpAfterError('Run it with --help to see what it takes.')
  .configureHelp({ sortSubcommands: false });

const word = process.argv.slice(2).find((argument) => !argument.startsWith('-') && argument !== 'help') ?? '';
const meant = aliases[word] ?? word;
for (const [name, { about, load }] of Object.entries(commands)) {
  const command = (name === meant ? await load() : new Command(name)).description(about);
  const alias = Object.keys(aliases).find((other) => aliases[other] === name);
  program.addCommand(alias ? command.alias(alias) : command);
}

// `up` and `demo` start engines themselves, `conformance` needs none; every other command uses those that `up` started.
program.hook('preAction', async (_program, command) => {
  if (['up', 'demo', 'conformance'].includes(command.name())) return;
  const { useLocalEngines } = await import('./local.ts');
  await useLocalEngines();
});

try {
  await program.parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
