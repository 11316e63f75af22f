import { migrate as migrateClickHouse } from '@tributary/clickhouse';
import { loadSettings, type Settings } from '@tributary/config';
import { migrateJobs } from '@tributary/jobs';
import { migrate as migratePostgres } from '@tributary/postgres';
import { Command } from 'commander';

export const migrateCommand = () =>
  new Command('migrate')
    .description('Bring the schemas of PostgreSQL and ClickHouse up to date; safe while an older version serves')
    .option('--json', 'machine-readable output')
    .action(async ({ json }: { json?: boolean }) => {
      const applied = await migrateAll(loadSettings(process.env));
      if (json) console.log(JSON.stringify(applied, null, 2));
      else
        for (const [engine, names] of Object.entries(applied))
          console.log(`${engine}: ${names.length > 0 ? names.join(', ') : 'nothing to do'}`);
    });

export async function migrateAll(settings: Settings): Promise<{ postgres: string[]; clickhouse: string[] }> {
  const postgres = await migratePostgres(settings.databaseOwnerUrl);
  await migrateJobs(settings.databaseOwnerUrl);
  const { applied } = await migrateClickHouse(clickhouseSettings(settings));
  return { postgres, clickhouse: [...applied] };
}

export function clickhouseSettings(settings: Settings) {
  const { username, password, origin } = new URL(settings.clickhouseUrl);
  const { clickhouseCluster, clickhouseNodes, clickhouseReplicated } = settings;
  return {
    url: origin,
    database: settings.clickhouseDatabase,
    ...(username && { username: decodeURIComponent(username), password: decodeURIComponent(password) }),
    ...(clickhouseCluster && {
      cluster: { name: clickhouseCluster, nodes: clickhouseNodes, replicated: clickhouseReplicated },
    }),
  };
}
