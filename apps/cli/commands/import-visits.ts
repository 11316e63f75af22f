import { agentReader } from '@tributary/collector/agent-of.ts';
import { openVisitImporter, visitColumns } from '@tributary/domain/traffic/ingestion/module.ts';
import { visitRules } from '@tributary/domain/traffic/tracking/module.ts';
import { Command } from 'commander';
import { importFile, progressLine, rejectedFile } from '../csv-file.ts';
import { openPipeline } from '../ingestion.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

interface Options {
  readonly profile: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** One insert of this size is fast; two batches are in memory at once. */
const batchSize = 10_000;

export const importVisitsCommand = () =>
  new Command('visits')
    .description('Store the visits of a CSV file; stopped and run again, it goes on where it stopped')
    .argument('<file>', 'CSV with a line of column names; docs/guides/import-visits.md')
    .requiredOption('--profile <id>', 'profile that the visits are of')
    .option('--dry-run', 'say what would be rejected, and store nothing')
    .option('--json', 'machine-readable output')
    .action((file: string, { profile, dryRun, json }: Options) =>
      withLedgers(async (ledgers) => {
        const { app } = ledgers;
        const rules = await app.forProfile(profile).transaction((tx) => visitRules(tx, profile));
        const ingestion = await openPipeline(ledgers);
        const importer = await openVisitImporter(ingestion, profile, { ...rules, agentOf: agentReader() });
        if (!importer) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
        const counts = await importFile({
          file,
          profileId: profile,
          column: 'client_id',
          columns: visitColumns,
          statuses: ['imported'],
          isResumable: !dryRun,
          batchSize,
          prepareBatch: (rows) => (dryRun ? async () => importer.check(rows) : importer.read(rows)),
          progress: progressLine(),
        });
        const { imported, ...rest } = counts;
        const report = counts.rejected > 0 ? rejectedFile(file) : null;
        printItem(
          { ...rest, [dryRun ? 'would_be_imported' : 'imported']: imported, rejected_rows: report },
          json,
          dryRun ? 'Looked at, nothing stored.' : 'Imported.',
        );
        if (counts.rejected > 0) process.exitCode = 1;
      }),
    );
