import { findNextOfRules, replay } from '@tributary/domain/measurement/attribution/module.ts';
import { findProfile } from '@tributary/domain/tenancy/tenants/module.ts';
import { nilUuid } from '@tributary/vocabulary';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';
import { showProgress } from '../progress.ts';

/** One bucket of a large profile may take minutes. */
const statementTimeoutMs = 3_600_000;

interface ReplayFlags {
  readonly profile?: string;
  readonly newRules?: boolean;
  readonly json?: boolean;
}

export const replayCommand = () =>
  new Command('replay')
    .option('--profile <id>', 'profile whose conversions are worked out')
    .option('--new-rules', 'every profile whose figures the installed version works out otherwise than the one before')
    .option('--json', 'machine-readable output')
    .action(({ profile, newRules, json }: ReplayFlags) =>
      withLedgers(async ({ app, platform }) => {
        if (!profile === !newRules) throw new Error('Either --profile ID or --new-rules says whose conversions.');
        const clickhouse = await platform.clickhouse({ requestTimeoutMs: statementTimeoutMs });
        const owner = await platform.postgres('owner', { poolSize: 1 });
        const stop = new AbortController();
        process.once('SIGINT', () => {
          console.error('Stopping after this bucket. Run it again to go on.');
          stop.abort();
        });
        const work = (profileId: string) =>
          replay(
            { app, clickhouse },
            {
              profileId,
              cause: 'operator',
              now: () => new Date(),
              signal: stop.signal,
              progress: showProgress('buckets'),
            },
          );
        if (profile) {
          const found = await app.forProfile(profile).transaction((tx) => findProfile(tx, profile));
          if (!found) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
          const result = await work(profile);
          printItem({ ...result }, json, result.state === 'done' ? 'Replayed.' : 'Stopped. Run it again to go on.');
          return;
        }
        let profiles = 0;
        for (let next = await findNextOfRules(owner, nilUuid); next; next = await findNextOfRules(owner, next)) {
          if ((await work(next)).state === 'stopped') break;
          profiles += 1;
        }
        printItem(
          { profiles, state: stop.signal.aborted ? 'stopped' : 'done' },
          json,
          `Replayed ${profiles} profile(s).${stop.signal.aborted ? ' Stopped. Run it again to go on.' : ''}`,
        );
      }),
    );
