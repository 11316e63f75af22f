import { loadSettings } from '@tributary/config';
import { configuredBackupFolder } from '@tributary/platform';
import { Command } from 'commander';
import { makeBackup, pruneBackups, verifyFiles } from '../backup/make-backup.ts';
import { listBackups, type Manifest, readManifest } from '../backup/manifest.ts';
import { printItem, printRows } from '../output.ts';

type Json = { json?: boolean };

const sub = (name: string, description: string) =>
  new Command(name).description(description).option('--json', 'machine-readable output');

export const backupCommand = () =>
  new Command('backup')
    .addCommand(
      sub('make', 'Copy all stores as they are at one moment, sealed, and read the copy back').action(
        async ({ json }: Json) => {
          const settings = loadSettings(process.env);
          const folder = configuredBackupFolder(settings);
          const manifest = await makeBackup(settings, folder, new Date(), (line) => console.error(line));
          const removed = await pruneBackups(settings, folder, new Date());
          printItem({ ...summary(manifest), older_removed: removed }, json, 'Made, and read back.');
        },
      ),
      { isDefault: true },
    )
    .addCommand(
      sub('list', 'Which backups there are').action(async ({ json }: Json) => {
        const folder = configuredBackupFolder(loadSettings(process.env));
        const found = [];
        for (const id of await listBackups(folder)) found.push(summary(await readManifest(folder, id)));
        printRows(found, json, 'There is no backup.');
      }),
    )
    .addCommand(
      sub('verify', 'Read every file of a backup to its end: does it open, and is it what was written?')
        .argument('[backup]', 'its id', 'latest')
        .action(async (id: string, { json }: Json) => {
          const folder = configuredBackupFolder(loadSettings(process.env));
          const manifest = await readManifest(folder, id);
          await verifyFiles(folder, manifest);
          printItem(summary(manifest), json, 'Every file opens and is what was written.');
        }),
    );

const summary = ({ id, takenAt, version, heldMs, postgres, clickhouse, log }: Manifest) => ({
  id,
  taken_at: takenAt,
  version,
  queues_held_ms: heldMs,
  postgres_rows: Object.values(postgres.rows).reduce((sum, rows) => sum + rows, 0),
  clickhouse_rows: clickhouse.partitions.reduce((sum, { rows }) => sum + rows, 0),
  // Excludes partitions that earlier backups contain.
  partitions_copied: clickhouse.partitions.filter(({ file }) => file.includes(id)).length,
  partitions: clickhouse.partitions.length,
  log_messages: log.messages,
});
