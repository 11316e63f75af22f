import { clickhouseSettings, migrate as migrateClickHouse } from '@tributary/clickhouse';
import { loadSettings, type Settings, WrongSettings } from '@tributary/config';
import { createPostgres, migrate as migratePostgres } from '@tributary/postgres';
import { createVault, ensureKeys } from '@tributary/vault';
import { migrateJobs } from '@tributary/work';
import { Command } from 'commander';
import { sayFirstAccount } from './first-account.ts';

export const migrateCommand = () =>
  new Command('migrate').option('--json', 'machine-readable output').action(async ({ json }: { json?: boolean }) => {
    const settings = loadSettings(process.env);
    const applied = await migrateAll(settings);
    if (json) return console.log(JSON.stringify(applied, null, 2));
    for (const [engine, names] of Object.entries(applied))
      console.log(`${engine}: ${names.length > 0 ? names.join(', ') : 'nothing to do'}`);
    const invitation = await sayFirstAccount(settings);
    if (invitation) console.log(`\n${invitation}`);
  });

export async function migrateAll(settings: Settings): Promise<{ postgres: string[]; clickhouse: string[] }> {
  const postgres = await migratePostgres(settings.databaseOwnerUrl);
  await migrateJobs(settings.databaseOwnerUrl);
  const { applied } = await migrateClickHouse(clickhouseSettings(settings));
  await ensureOwnKeys(settings);
  return { postgres, clickhouse: [...applied] };
}

/** The service's own keys are made with the schema, because whoever serves may not make them. */
async function ensureOwnKeys({ encryptionKeys, databaseOwnerUrl }: Settings): Promise<void> {
  if (!encryptionKeys)
    throw new WrongSettings([
      'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
    ]);
  const operator = createPostgres({ url: databaseOwnerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, createVault(encryptionKeys), new Date()).finally(() => operator.close());
}
