import { replay } from '@tributary/domain/attribution/room.ts';
import { findProfile } from '@tributary/domain/tenants/room.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';
import { showProgress } from '../progress.ts';

/** One bucket of a large profile may take minutes. */
const statementTimeoutMs = 3_600_000;

export const replayCommand = () =>
  new Command('replay')
    .requiredOption('--profile <id>', 'profile whose conversions are worked out')
    .option('--json', 'machine-readable output')
    .action(({ profile, json }: { profile: string; json?: boolean }) =>
      withLedgers(async ({ app, platform }) => {
        const known = await app.forProfile(profile).transaction((tx) => findProfile(tx, profile));
        if (!known) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
        const clickhouse = await platform.clickhouse({ requestTimeoutMs: statementTimeoutMs });
        const stop = new AbortController();
        process.once('SIGINT', () => {
          console.error('Stopping after this bucket. Run it again to go on.');
          stop.abort();
        });
        const result = await replay(
          { app, clickhouse },
          {
            profileId: profile,
            cause: 'operator',
            now: () => new Date(),
            signal: stop.signal,
            progress: showProgress('buckets'),
          },
        );
        tell({ ...result }, json, result.state === 'done' ? 'Replayed.' : 'Stopped. Run it again to go on.');
      }),
    );
