import { findProfile } from '@tributary/domain/tenancy/tenants/module.ts';
import { openStorage } from '@tributary/storage';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { exportParquet } from '../parquet-folder.ts';
import { showProgress } from '../progress.ts';

/** A day of a large profile may take minutes. */
const statementTimeoutMs = 3_600_000;

interface Wanted {
  readonly profile: string;
  readonly from: string;
  readonly to: string;
  readonly folder: string;
  readonly asOf?: string;
  readonly json?: boolean;
}

export const exportCommand = () =>
  new Command('export').addCommand(
    new Command('parquet')
      .description(
        'Write attributed conversions without persons: a Parquet file for each day, and a manifest that adds up to the report',
      )
      .requiredOption('--profile <id>', 'profile whose conversions are written')
      .requiredOption('--from <day>', 'first day, YYYY-MM-DD')
      .requiredOption('--to <day>', 'last day, that one included')
      .requiredOption('--folder <path>', 'where to, a folder or s3://bucket/path; run again, it goes on there')
      .option('--as-of <moment>', 'as it stood then; absent: the latest moment that is settled')
      .option('--json', 'machine-readable output')
      .action(({ profile, from, to, folder, asOf, json }: Wanted) =>
        withLedgers(async ({ app, platform, now }) => {
          for (const day of [from, to])
            if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day)))
              throw new Error(`"${day}" is no day. One looks like 2026-05-04.`);
          if (from > to) throw new Error('The last day is before the first.');
          if (asOf !== undefined && Number.isNaN(Date.parse(asOf)))
            throw new Error(`"${asOf}" is no moment. One looks like 2026-05-04T12:00:00Z.`);
          const ledger = app.forProfile(profile);
          if (!(await ledger.transaction((tx) => findProfile(tx, profile))))
            throw new Error('There is no such profile. "tributary profile list" shows those there are.');
          const clickhouse = await platform.clickhouse({ requestTimeoutMs: statementTimeoutMs });
          const stop = new AbortController();
          process.once('SIGINT', () => {
            console.error('Stopping. Run it again to go on.');
            stop.abort();
          });
          const context = { caller: { profileId: profile }, ledger, clickhouse, signal: stop.signal, now };
          const { as_of, days, total } = await exportParquet(
            {
              storage: openStorage(folder, platform.settings),
              dateFrom: from,
              dateTo: to,
              asOf,
              progress: showProgress('days'),
            },
            context as Parameters<typeof exportParquet>[1],
          );
          const files = days.filter(({ file }) => file !== null).length;
          const rows = days.reduce((sum, day) => sum + day.rows, 0);
          printItem({ as_of, files, rows, ...total }, json, 'Written.');
        }),
      ),
  );
