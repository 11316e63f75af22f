import { openCustomerImporter } from '@tributary/domain/commerce/customers/module.ts';
import { visitTraits } from '@tributary/vocabulary';
import { Command } from 'commander';
import { importFile, progressLine, rejectedFile } from '../csv-file.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { openTombstones } from '../tombstones.ts';

interface Options {
  readonly profile: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const columns = [...visitTraits, 'national_id'];

export const importCustomersCommand = () =>
  new Command('customers')
    .description('Import the customers of a CSV file; stopped and run again, it goes on where it stopped')
    .argument('<file>', `CSV with a line of column names: ${columns.join(', ')}; email must be one of them`)
    .requiredOption('--profile <id>', 'profile that the customers are of')
    .option('--dry-run', 'say what would be rejected, and store nothing')
    .option('--json', 'machine-readable output')
    .action((file: string, { profile, dryRun, json }: Options) =>
      withLedgers(async ({ app, platform }) => {
        const services = { tombstones: await openTombstones(platform, app) };
        const importer = await openCustomerImporter(app, profile, services, () => new Date());
        if (!importer) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
        const counts = await importFile({
          file,
          profileId: profile,
          column: 'email',
          columns,
          statuses: ['created', 'matched'],
          isResumable: !dryRun,
          prepareBatch: (rows) => async () => (dryRun ? importer.check(rows) : importer.import(rows)),
          progress: progressLine(),
        });
        const report = counts.rejected > 0 ? rejectedFile(file) : null;
        printItem({ ...counts, rejected_rows: report }, json, dryRun ? 'Looked at, nothing stored.' : 'Imported.');
        if (counts.rejected > 0) process.exitCode = 1;
      }),
    );
