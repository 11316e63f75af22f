import { statfs } from 'node:fs/promises';
import { clickhouseSettings, createClickHouse, raw } from '@tributary/clickhouse';
import { loadSettings, type Settings } from '@tributary/config';
import { createPostgres, roles } from '@tributary/postgres';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream, type Stream, streamOptions } from '@tributary/stream';
import { Command } from 'commander';
import { sql } from 'kysely';

export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'wrong';
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const doctorCommand = () =>
  new Command('doctor')
    .description('Look at settings, engines, versions, clocks and disk: what is wrong, and what to do')
    .option('--json', 'machine-readable output')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine(loadSettings(process.env));
      if (json) console.log(JSON.stringify(findings, null, 2));
      else
        for (const { what, state, detail, advice } of findings)
          console.log(
            `${state === 'ok' ? 'ok   ' : 'WRONG'} ${what.padEnd(12)} ${detail}${advice ? `\n      -> ${advice}` : ''}`,
          );
      process.exitCode = findings.some(({ state }) => state === 'wrong') ? 1 : 0;
    });

export async function examine(settings: Settings): Promise<Finding[]> {
  const looks: [string, string, () => Promise<Finding[]>][] = [
    [
      'postgres',
      'Start it, and set DATABASE_OWNER_URL, DATABASE_APP_URL, DATABASE_SYSTEM_URL and DATABASE_COLLECTOR_URL.',
      () => examinePostgres(settings),
    ],
    ['clickhouse', 'Start it, and set CLICKHOUSE_URL.', () => examineClickHouse(settings)],
    ['nats', 'Start it with JetStream on, and set NATS_URL.', () => examineNats(settings)],
    ['redis', 'Start it, and set REDIS_URL.', () => examineRedis(settings)],
    ['disk', 'Free some space.', examineDisk],
  ];
  const found = await Promise.all(
    looks.map(async ([what, advice, look]) => {
      try {
        return await look();
      } catch (error) {
        return [{ what, state: 'wrong' as const, detail: (error as Error).message || 'does not answer', advice }];
      }
    }),
  );
  const settingsFinding: Finding = settings.encryptionKeys
    ? { what: 'settings', state: 'ok', detail: `${settings.encryptionKeys.length} encryption key(s)` }
    : {
        what: 'settings',
        state: 'wrong',
        detail: 'ENCRYPTION_KEYS is not set',
        advice: 'Set it to "k1:" and the output of "openssl rand -base64 32".',
      };
  return [settingsFinding, ...found.flat()];
}

async function examinePostgres(settings: Settings): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [role, url] of [
    [roles.owner, settings.databaseOwnerUrl],
    [roles.app, settings.databaseAppUrl],
    [roles.system, settings.databaseSystemUrl],
    [roles.collector, settings.databaseCollectorUrl],
  ] as const) {
    const postgres = createPostgres({ url, poolSize: 1 });
    try {
      const { rows } = await postgres.unbound.query(
        sql<{ version: number; is_super: boolean; bypasses: boolean; skew: number; migrations: number }>`
          SELECT current_setting('server_version_num')::int AS version, r.rolsuper AS is_super, r.rolbypassrls AS bypasses,
            abs(extract(epoch FROM clock_timestamp()) - ${Date.now() / 1_000}::float8)::float8 AS skew,
            (SELECT count(*) FROM pg_tables WHERE tablename = 'event_log')::int AS migrations
          FROM pg_roles r WHERE r.rolname = current_user`,
      );
      findings.push(judgeRole(role, rows[0]));
    } finally {
      await postgres.close();
    }
  }
  return findings;
}

function judgeRole(
  role: string,
  row: { version: number; is_super: boolean; bypasses: boolean; skew: number; migrations: number } | undefined,
): Finding {
  const what = 'postgres';
  if (!row)
    return {
      what,
      state: 'wrong',
      detail: `${role} is unknown`,
      advice: 'Create the roles (deploy/postgres-roles.sql).',
    };
  if (row.version < 150_000)
    return { what, state: 'wrong', detail: `version ${row.version}`, advice: 'Use PostgreSQL 15 or newer.' };
  if (row.is_super || row.bypasses)
    return {
      what,
      state: 'wrong',
      detail: `${role} may pass the walls between profiles`,
      advice: `ALTER ROLE ${role} NOSUPERUSER NOBYPASSRLS.`,
    };
  if (row.skew > 5)
    return {
      what,
      state: 'wrong',
      detail: `its clock is ${Math.round(row.skew)} s off ours`,
      advice: 'Let both machines keep time with NTP.',
    };
  if (row.migrations === 0)
    return { what, state: 'wrong', detail: 'the schema is missing', advice: 'Run "tributary migrate".' };
  return {
    what,
    state: 'ok',
    detail: `${role}, version ${Math.floor(row.version / 10_000)}, walls hold, clock agrees`,
  };
}

async function examineClickHouse(settings: Settings): Promise<Finding[]> {
  const client = createClickHouse(clickhouseSettings(settings));
  try {
    const [row] = await client.query(
      raw<{ version: string; tables: string }>(
        'SELECT version() AS version, (SELECT count() FROM system.tables WHERE database = currentDatabase()) AS tables',
      ),
      {},
    );
    if (Number(row?.tables) === 0)
      return [
        { what: 'clickhouse', state: 'wrong', detail: 'the schema is missing', advice: 'Run "tributary migrate".' },
      ];
    return [{ what: 'clickhouse', state: 'ok', detail: `version ${row?.version}` }];
  } finally {
    await client.close();
  }
}

async function examineNats(settings: Settings): Promise<Finding[]> {
  const stream = await connectStream(streamOptions(settings));
  try {
    await stream.ensureStreams();
    return [
      { what: 'nats', state: 'ok', detail: 'JetStream answers' },
      await examineLog(stream),
      await examineLetters(stream),
    ];
  } finally {
    await stream.close();
  }
}

async function examineLog(stream: Stream): Promise<Finding> {
  const { share } = await stream.fill();
  const detail = `the visits log is ${Math.round(share * 100)}% full`;
  if (share < 0.8) return { what: 'visits log', state: 'ok', detail };
  const advice =
    'Full, it refuses visits. Is the worker running and keeping up? If so, give it more with STREAM_MAX_MEGABYTES.';
  return { what: 'visits log', state: 'wrong', detail, advice };
}

async function examineLetters({ deadLetters }: Stream): Promise<Finding> {
  const count = await deadLetters.count();
  if (count === 0) return { what: 'dead letters', state: 'ok', detail: 'none' };
  return {
    what: 'dead letters',
    state: 'wrong',
    detail: `${count} message(s) could not be processed`,
    advice: 'See why with "tributary visits replay-dead --dry-run"; without --dry-run they are tried again.',
  };
}

async function examineRedis(settings: Settings): Promise<Finding[]> {
  const redis = createRedis({ url: settings.redisUrl, prefix: settings.redisPrefix });
  try {
    await redisReady(redis, 3_000);
    return [{ what: 'redis', state: 'ok', detail: `answers ${await redis.ping()}` }];
  } finally {
    redis.disconnect();
  }
}

async function examineDisk(): Promise<Finding[]> {
  const { bavail, bsize } = await statfs('.');
  const gigabytes = Math.floor((bavail * bsize) / 1e9);
  return [
    gigabytes < 2
      ? { what: 'disk', state: 'wrong', detail: `${gigabytes} GB free here`, advice: 'Free some space.' }
      : { what: 'disk', state: 'ok', detail: `${gigabytes} GB free here` },
  ];
}
