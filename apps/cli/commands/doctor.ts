import { statfs } from 'node:fs/promises';
import { loadSettings, type Settings } from '@tributary/config';
import { Command } from 'commander';
import { examineClickHouse } from '../doctor/clickhouse.ts';
import { type Finding, ok, wrong } from '../doctor/finding.ts';
import { examineNats } from '../doctor/nats.ts';
import { examinePostgres } from '../doctor/postgres.ts';
import { examineRedis } from '../doctor/redis.ts';
import { examineUpgrade } from '../doctor/upgrade.ts';
import { examineWork } from '../doctor/work.ts';

export const doctorCommand = () =>
  new Command('doctor').option('--json', 'machine-readable output').action(async ({ json }: { json?: boolean }) => {
    const findings = await examine(loadSettings(process.env));
    if (json) console.log(JSON.stringify(findings, null, 2));
    else
      for (const { what, state, detail, advice } of findings)
        console.log(
          `${state === 'ok' ? 'ok   ' : 'WRONG'} ${what.padEnd(12)} ${detail}${advice ? `\n      -> ${advice}` : ''}`,
        );
    process.exitCode = findings.some(({ state }) => state === 'wrong') ? 1 : 0;
  });

async function examine(settings: Settings): Promise<Finding[]> {
  const looks: [string, string, () => Promise<Finding[]>][] = [
    [
      'postgres',
      'Start it, and set DATABASE_OWNER_URL, DATABASE_APP_URL, DATABASE_SYSTEM_URL and DATABASE_COLLECTOR_URL.',
      () => examinePostgres(settings),
    ],
    ['clickhouse', 'Start it, and set CLICKHOUSE_URL.', () => examineClickHouse(settings)],
    ['nats', 'Start it with JetStream on, and set NATS_URL.', () => examineNats(settings)],
    ['redis', 'Start it, and set REDIS_URL.', () => examineRedis(settings)],
    ['jobs', 'They are kept in PostgreSQL, as the role of DATABASE_SYSTEM_URL sees it.', () => examineWork(settings)],
    ['upgrade', 'Run "tributary migrate", which makes the schemas.', () => examineUpgrade(settings)],
    ['disk', 'Free some space.', examineDisk],
  ];
  const found = await Promise.all(
    looks.map(async ([what, advice, look]) => {
      try {
        return await look();
      } catch (error) {
        return [wrong(what, (error as Error).message || 'does not answer', advice)];
      }
    }),
  );
  const keys = settings.encryptionKeys
    ? ok('settings', `${settings.encryptionKeys.length} encryption key(s)`)
    : wrong('settings', 'ENCRYPTION_KEYS is not set', 'Set it to "k1:" and the output of "openssl rand -base64 32".');
  return [keys, ...found.flat()];
}

async function examineDisk(): Promise<Finding[]> {
  const { bavail, bsize } = await statfs('.');
  const detail = `${Math.floor((bavail * bsize) / 1e9)} GB free here`;
  return [bavail * bsize < 2e9 ? wrong('disk', detail, 'Free some space.') : ok('disk', detail)];
}
