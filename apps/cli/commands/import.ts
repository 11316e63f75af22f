import { findAdPlatforms } from '@tributary/domain/advertising/campaigns/module.ts';
import { openOutcomeImporter } from '@tributary/domain/commerce/outcomes/module.ts';
import { paymentStandings } from '@tributary/domain/commerce/payments/module.ts';
import { visitorLinks } from '@tributary/domain/traffic/ingestion/module.ts';
import { outcomeStatuses } from '@tributary/vocabulary';
import { Command, Option } from 'commander';
import { importFile, progressLine, rejectedFile } from '../csv-file.ts';
import { formats, readRename } from '../formats/index.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { openTombstones } from '../tombstones.ts';
import { importCustomersCommand } from './import-customers.ts';
import { importVisitsCommand } from './import-visits.ts';

interface Options {
  readonly profile: string;
  readonly format?: string;
  readonly events?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const importCommand = () =>
  new Command('import')
    .addCommand(importVisitsCommand())
    .addCommand(importCustomersCommand())
    .addCommand(
      new Command('outcomes')
        .description('Record the outcomes of a CSV file; stopped and run again, it goes on where it stopped')
        .argument(
          '<file>',
          'CSV with a line of column names, or a file of another product with --format; docs/guides/import-outcomes.md',
        )
        .requiredOption('--profile <id>', 'profile that the outcomes are of')
        .addOption(new Option('--format <name>', 'a file of another product').choices(Object.keys(formats)))
        .option(
          '--events <names>',
          'which of its events count, and how they are called here: purchase=payment_received,sign_up',
        )
        .option('--dry-run', 'say what would be rejected, and record nothing')
        .option('--json', 'machine-readable output')
        .action((file: string, { profile, format, events, dryRun, json }: Options) =>
          withLedgers(async ({ app, platform }) => {
            const services = {
              tombstones: await openTombstones(platform, app),
              payments: paymentStandings,
              findAdPlatforms,
              visitors: visitorLinks,
            };
            const importer = await openOutcomeImporter(app, profile, services, () => new Date());
            if (!importer) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
            const counts = await importFile({
              file,
              profileId: profile,
              column: (format && formats[format]?.column) ?? 'event_name',
              format: format ? formats[format] : undefined,
              rename: events ? readRename(events) : undefined,
              statuses: outcomeStatuses,
              isResumable: !dryRun,
              prepareBatch: (rows) => async () => (dryRun ? importer.check(rows) : importer.import(rows)),
              progress: progressLine(),
            });
            const report = counts.rejected > 0 ? rejectedFile(file) : null;
            printItem(
              { ...counts, rejected_rows: report },
              json,
              dryRun ? 'Looked at, nothing recorded.' : 'Imported.',
            );
            if (counts.rejected > 0) process.exitCode = 1;
          }),
        ),
    );
