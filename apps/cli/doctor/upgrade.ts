import { clickhouseSettings, compareMigrations as compareColumns } from '@tributary/clickhouse';
import type { Settings } from '@tributary/config';
import { planUpgrade, type UpgradePlan } from '@tributary/postgres';
import { type Finding, ok, wrong } from './finding.ts';

/** The pending upgrade of this version, and whether this version is the right one to run. */
export async function examineUpgrade(settings: Settings): Promise<Finding[]> {
  const [ledger, columns] = await Promise.all([
    planUpgrade(settings.databaseOwnerUrl),
    compareColumns(clickhouseSettings(settings)),
  ]);
  return [judge('PostgreSQL', ledger, describePlan(ledger)), judge('ClickHouse', columns)];
}

function judge(
  engine: string,
  { waiting, unknown }: { waiting: readonly string[]; unknown: readonly string[] },
  plan = '',
): Finding {
  if (unknown.length > 0)
    return wrong(
      'upgrade',
      `${engine} has been migrated by a later version: ${unknown.join(', ')}`,
      'Run that version. An earlier one may write what the later one does not expect; to go back, restore a backup.',
    );
  if (waiting.length === 0) return ok('upgrade', `${engine} has the schema of this version`);
  return wrong(
    'upgrade',
    `${engine} waits for ${waiting.length} migration(s): ${waiting.join(', ')}${plan}`,
    'Make a backup, then run "tributary migrate": the version before may serve meanwhile. A step that does not get its lock within a second lets others pass and tries again.',
  );
}

/** Describes the largest tables to scan, and the estimated total time. */
function describePlan({ tables, seconds }: UpgradePlan): string {
  const large = tables
    .slice(0, 5)
    .map(({ table, rows, bytes }) => `${table} (${rows.toLocaleString('en')} rows, ${Math.ceil(bytes / 1e6)} MB)`);
  const through =
    large.length > 0 ? `; gone through: ${large.join(', ')}${tables.length > 5 ? ' and smaller ones' : ''}` : '';
  const time = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return `${through}; about ${time}`;
}
