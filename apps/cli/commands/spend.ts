import { spendColumns } from '@tributary/contract';
import { openSpendImporter } from '@tributary/domain/advertising/campaigns/module.ts';
import { spendStatuses } from '@tributary/vocabulary';
import { Command } from 'commander';
import { importFile, progressLine, rejectedFile } from '../csv-file.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

interface Options {
  readonly profile: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const spendCommand = () =>
  new Command('spend').addCommand(
    new Command('import')
      .description('Record the days of a CSV file; stopped and run again, it goes on where it stopped')
      .argument('<file>', 'CSV with a line of column names; docs/guides/push-spend.md lists them')
      .requiredOption('--profile <id>', 'profile that advertised')
      .option('--dry-run', 'say what would be rejected, and record nothing')
      .option('--json', 'machine-readable output')
      .action((file: string, { profile, dryRun, json }: Options) =>
        withLedgers(async ({ app }) => {
          const importer = await openSpendImporter(app, profile, () => new Date());
          if (!importer) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
          const counts = await importFile({
            file,
            profileId: profile,
            column: 'external_id',
            columns: spendColumns,
            statuses: spendStatuses,
            isResumable: !dryRun,
            prepareBatch: (rows) => async () => (dryRun ? importer.check(rows) : importer.import(rows)),
            progress: progressLine(),
          });
          const report = counts.rejected > 0 ? rejectedFile(file) : null;
          printItem({ ...counts, rejected_rows: report }, json, dryRun ? 'Looked at, nothing recorded.' : 'Imported.');
          if (counts.rejected > 0) process.exitCode = 1;
        }),
      ),
  );
