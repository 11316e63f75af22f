import { loadSettings } from '@tributary/config';
import { type ErasureNote, repeatErasures } from '@tributary/domain/privacy/erasures/module.ts';
import * as tenants from '@tributary/domain/tenancy/tenants/module.ts';
import { type BackupFolder, configuredBackupFolder, readNoted } from '@tributary/platform';
import { Command } from 'commander';
import { readManifest } from '../backup/manifest.ts';
import { keysIn, restoreBackup } from '../backup/restore-backup.ts';
import { type Ledgers, withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { openTombstones } from '../tombstones.ts';
import { migrateAll } from './migrate.ts';

interface Flags {
  readonly json?: boolean;
  readonly keysOnly?: boolean;
  readonly eraseAgain?: boolean;
}

/** Scanning a large profile takes minutes. */
const scanTimeoutMs = 600_000;

export const restoreCommand = () =>
  new Command('restore')
    .argument('[backup]', 'id of the backup', 'latest')
    .option('--keys-only', 'print the ENCRYPTION_KEYS that it was made with, and do nothing else')
    .option(
      '--erase-again',
      'restore nothing; erase and delete again whatever was since, in a ledger that was brought back by other means',
    )
    .option('--json', 'machine-readable output')
    .action(async (id: string, { json, keysOnly, eraseAgain: isOnlyErased }: Flags) => {
      const settings = loadSettings(process.env);
      const folder = configuredBackupFolder(settings);
      if (isOnlyErased) return printItem(await repeatDeletions(folder), json, 'Erased and deleted again.');
      const manifest = await readManifest(folder, id);
      if (keysOnly) return console.log(`ENCRYPTION_KEYS=${await keysIn(folder, manifest)}`);
      const report = (line: string) => console.error(line);
      await restoreBackup(settings, folder, manifest, report);
      await migrateAll(settings);
      report('the schemas are those of this version');
      const again = await repeatDeletions(folder);
      printItem(
        { id: manifest.id, taken_at: manifest.takenAt, ...again },
        json,
        'Restored. Start the api, the collector and the worker.',
      );
    });

/** Repeats erasures and deletions that happened after the time of the restored ledger. Running it twice is harmless. */
const repeatDeletions = (folder: BackupFolder) =>
  withLedgers(async (ledgers) => {
    const noted = await readNoted(folder);
    const erased = await eraseSince(
      ledgers,
      noted.flatMap((one) => (one.kind === 'erasure' ? [one.note as ErasureNote] : [])),
    );
    let deleted = 0;
    for (const one of noted) if (one.kind === 'deletion' && (await deleteAgain(ledgers, one))) deleted += 1;
    return { erased_again: erased.erasures, deleted_again: deleted };
  });

async function eraseSince({ app, platform }: Ledgers, notes: readonly ErasureNote[]) {
  const ring = await platform.keys(app);
  const clickhouse = await platform.clickhouse({ requestTimeoutMs: scanTimeoutMs });
  const services = {
    tombstones: await openTombstones(platform, app),
    vault: ring.envelope(),
    clickhouse,
  };
  return repeatErasures(app, services, notes);
}

/** False if the backup does not contain the tenant. */
async function deleteAgain(
  { operator }: Ledgers,
  { tenantId, isWorkspace }: { readonly tenantId: string; readonly isWorkspace: boolean },
): Promise<boolean> {
  try {
    if (isWorkspace) await tenants.archiveWorkspaceByOperator(operator, tenantId);
    else await tenants.archiveProfileByOperator(operator, tenantId);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return false;
    throw error;
  }
}
