import { openIngestion, replayBadVisits } from '@tributary/domain/ingestion/room.ts';
import { linkTokenReader } from '@tributary/domain/link-tokens/room.ts';
import { markVerified } from '@tributary/domain/tracking/room.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';
import { showProgress } from '../progress.ts';

interface ReplayFlags {
  readonly profile: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const visitsCommand = () =>
  new Command('visits').description('What browsers sent').addCommand(
    new Command('replay-bad')
      .description('Put visits that could not be understood through the pipeline again, after the rules have changed')
      .requiredOption('--profile <id>', 'id of the profile')
      .option('--dry-run', 'only say what would become of them')
      .option('--json', 'machine-readable output')
      .action(({ profile, dryRun, json }: ReplayFlags) =>
        withLedgers(async ({ app, platform, settings }) => {
          const ring = await platform.keys(app);
          const clickhouse = await platform.clickhouse();
          const ingestion = openIngestion({
            postgres: app,
            clickhouse,
            ring,
            readLinkToken: linkTokenReader(() => (settings.linkTokens ? ring.keys('link_token') : [])),
            markVerified,
            badBytesPerDay: settings.badVisitMegabytesPerDay << 20,
            now: () => new Date(),
          });
          const { total, replayed, stillBad } = await replayBadVisits(ingestion, {
            profileId: profile,
            isDryRun: dryRun ?? false,
            progress: showProgress('visits'),
          });
          tell(
            {
              total,
              [dryRun ? 'would_be_replayed' : 'replayed']: replayed,
              still_bad: json ? stillBad : listed(stillBad),
            },
            json,
            dryRun ? 'Nothing was changed.' : 'Done. Run it again whenever you like: it goes on where it stopped.',
          );
        }),
      ),
  );

const listed = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).map(([reason, count]) => `${reason}: ${count}`);
