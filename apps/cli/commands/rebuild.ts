import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, clickhouseSettings, migrate } from '@tributary/clickhouse';
import { copyAllAgain } from '@tributary/domain/advertising/campaigns/module.ts';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import { findNextProfile } from '@tributary/domain/tenancy/tenants/module.ts';
import { visitsConsumer } from '@tributary/domain/traffic/ingestion/module.ts';
import { isPassed, type Stream } from '@tributary/stream';
import { nilUuid } from '@tributary/vocabulary';
import { Command } from 'commander';
import { type Ledgers, withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { showProgress } from '../progress.ts';

/** One bucket of a large profile may take minutes. */
const statementTimeoutMs = 3_600_000;
const pollEveryMs = 500;

interface Flags {
  readonly withoutOlder?: boolean;
  readonly json?: boolean;
}

export const rebuildCommand = () =>
  new Command('rebuild')
    .option('--without-older', 'go on though the log does not reach back to the first visit')
    .option('--json', 'machine-readable output')
    .action(({ withoutOlder, json }: Flags) =>
      withLedgers(async (ledgers) => {
        const { platform, settings } = ledgers;
        const stream = await platform.stream();
        const { gone } = await stream.extent();
        if (gone > 0 && !withoutOlder)
          throw new Error(
            `${gone} messages have left the log already, and visits of that time are nowhere else but in a replica or a backup of ClickHouse. ` +
              'Bring those back, or go on with --without-older: credit that rests on them goes to others then.',
          );
        const { applied } = await migrate(clickhouseSettings(settings));
        console.error(`ClickHouse: ${applied.length} migration(s) applied`);
        const visits = await reprocessVisits(stream);
        const clickhouse = await platform.clickhouse({ requestTimeoutMs: statementTimeoutMs });
        const { profiles, conversions, entities } = await recompute(ledgers, clickhouse);
        printItem({ messages: visits, profiles, conversions, entities }, json, 'Rebuilt. It is safe to run again.');
      }),
    );

/** Rewinds the consumer so that the worker processes every stored visit again; existing rows stay unchanged. */
async function reprocessVisits(stream: Stream): Promise<number> {
  const [end, { held: total }] = [await stream.end(), await stream.extent()];
  await stream.rewind(visitsConsumer);
  console.error('The worker reads the log again; without one that runs, nothing happens.');
  const progress = showProgress('messages');
  while (true) {
    progress(Math.max(0, total - (await stream.waiting(visitsConsumer))), total);
    if (isPassed(await stream.consumedThrough(visitsConsumer), end)) return total;
    await sleep(pollEveryMs);
  }
}

/** Recomputes the data derived from both stores: credits and copies of spend. Scores and models are recomputed by their hourly jobs. */
async function recompute({ app, operator }: Ledgers, clickhouse: ClickHouse) {
  const signal = new AbortController().signal;
  const next = async (after: string) =>
    (await operator.everywhere.transaction((tx) => findNextProfile(tx, after))).sort()[0];
  const counts = { profiles: 0, conversions: 0, entities: 0 };
  for (let id = await next(nilUuid); id; id = await next(id)) {
    counts.entities += await copyAllAgain(app, id);
    const options = { profileId: id, cause: 'operator', now: () => new Date(), signal };
    counts.conversions += (await replay({ app, clickhouse }, options)).conversions;
    counts.profiles += 1;
  }
  return counts;
}
