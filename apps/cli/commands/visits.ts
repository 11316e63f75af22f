import { replayBadVisits } from '@tributary/domain/traffic/ingestion/module.ts';
import { withPlatform } from '@tributary/platform';
import type { DeadLetterPage, Stream } from '@tributary/stream';
import { Command } from 'commander';
import { openPipeline } from '../ingestion.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { showProgress } from '../progress.ts';

interface ReplayFlags {
  readonly profile: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const visitsCommand = () => new Command('visits').addCommand(replayBad()).addCommand(replayDead());

const replayBad = () =>
  new Command('replay-bad')
    .description('Put visits that could not be understood through the pipeline again, after the rules have changed')
    .requiredOption('--profile <id>', 'id of the profile')
    .option('--dry-run', 'only say what would become of them')
    .option('--json', 'machine-readable output')
    .action(({ profile, dryRun, json }: ReplayFlags) =>
      withLedgers(async (ledgers) => {
        const ingestion = await openPipeline(ledgers);
        const { total, replayed, stillBad } = await replayBadVisits(ingestion, {
          profileId: profile,
          isDryRun: dryRun ?? false,
          progress: showProgress('visits'),
        });
        printItem(
          {
            total,
            [dryRun ? 'would_be_replayed' : 'replayed']: replayed,
            still_bad: json ? stillBad : listed(stillBad),
          },
          json,
          dryRun ? 'Nothing was changed.' : 'Done. Run it again whenever you like: it goes on where it stopped.',
        );
      }),
    );

const replayDead = () =>
  new Command('replay-dead')
    .description(
      'Put messages that could not be processed back into the visits log, after what stood in their way is gone',
    )
    .option('--dry-run', 'only say which there are, and why')
    .option('--json', 'machine-readable output')
    .action(({ dryRun, json }: Omit<ReplayFlags, 'profile'>) =>
      withPlatform(async (platform) => {
        const stream = await platform.stream();
        const total = await stream.deadLetters.count();
        if (dryRun) {
          const reasons = await reasonsOf(stream);
          printItem({ total, reasons: json ? reasons : listed(reasons) }, json, 'Nothing was changed.');
          return;
        }
        const progress = showProgress('messages');
        const replayed = await stream.deadLetters.replayAll((done) => progress(done, Math.max(total, done)));
        printItem({ total, replayed }, json, 'Done. What dies again is among the dead letters again.');
      }),
    );

/** A reason may quote the visit, so only its beginning is shown, which names the kind of failure. */
async function reasonsOf({ deadLetters }: Stream): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: DeadLetterPage = await deadLetters.list({ after });
    for (const { cause, reason } of page.letters) {
      const kind = `${cause}: ${reason.split(':').slice(0, 2).join(':').slice(0, 80)}`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    after = page.next;
  }
  return counts;
}

const listed = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).map(([reason, count]) => `${reason}: ${count}`);
