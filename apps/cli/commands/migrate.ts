import { clickhouseSettings, migrate as migrateClickHouse } from '@tributary/clickhouse';
import { loadSettings, type Settings, WrongSettings } from '@tributary/config';
import { copyRates } from '@tributary/domain/commerce/money/module.ts';
import { listAppRows, upsertApps } from '@tributary/domain/tenancy/credentials/module.ts';
import { atServer, createPostgres, migrate as migratePostgres } from '@tributary/postgres';
import { createVault, ensureKeys } from '@tributary/vault';
import { migrateJobs } from '@tributary/work';
import { Command } from 'commander';
import { offerFirstAccount } from './first-account.ts';

export const migrateCommand = () =>
  new Command('migrate').option('--json', 'machine-readable output').action(async ({ json }: { json?: boolean }) => {
    const settings = loadSettings(process.env);
    const applied = await migrateAll(settings);
    if (json) return console.log(JSON.stringify(applied, null, 2));
    for (const [engine, names] of Object.entries(applied))
      console.log(`${engine}: ${names.length > 0 ? names.join(', ') : 'nothing to do'}`);
    const invitation = await offerFirstAccount(settings);
    if (invitation) console.log(`\n${invitation}`);
  });

export async function migrateAll(settings: Settings): Promise<{ postgres: string[]; clickhouse: string[] }> {
  const postgres = await migratePostgres(settings.databaseOwnerUrl);
  await migrateJobs(settings.databaseOwnerUrl);
  for (const [name, server] of settings.ledgerShards) {
    const url = atServer(settings.databaseOwnerUrl, server);
    postgres.push(...(await migratePostgres(url)).map((migration) => `${name}/${migration}`));
    await migrateJobs(url);
  }
  const { applied } = await migrateClickHouse(clickhouseSettings(settings));
  await ensureOwnKeys(settings);
  await ensureShards(settings);
  return { postgres, clickhouse: [...applied] };
}

/** Creates the service's own keys together with the schema, because serving processes may not create them. */
async function ensureOwnKeys({ encryptionKeys, databaseOwnerUrl }: Settings): Promise<void> {
  if (!encryptionKeys)
    throw new WrongSettings([
      'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
    ]);
  const operator = createPostgres({ url: databaseOwnerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, createVault(encryptionKeys), new Date()).finally(() => operator.close());
}

/** Copies shared data to every server of the ledger: apps and exchange rates. */
async function ensureShards({ databaseOwnerUrl, ledgerShards }: Settings): Promise<void> {
  if (ledgerShards.size === 0) return;
  const home = createPostgres({ url: databaseOwnerUrl, poolSize: 1 });
  try {
    const apps = await home.unbound.transaction(listAppRows);
    for (const server of ledgerShards.values()) {
      const shard = createPostgres({ url: atServer(databaseOwnerUrl, server), poolSize: 1 });
      try {
        await shard.unbound.transaction((tx) => upsertApps(tx, apps));
        await copyRates(home, shard);
      } finally {
        await shard.close();
      }
    }
  } finally {
    await home.close();
  }
}
