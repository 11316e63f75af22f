import { rebuildProfile } from '@tributary/domain/measurement/top-performers/module.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

/** A statement over a large profile may take minutes. */
const statementTimeoutMs = 600_000;

export const scoresCommand = () =>
  new Command('scores').addCommand(
    new Command('rebuild')
      .description('Score the ads of a profile now, instead of waiting for the night')
      .requiredOption('--profile <id>', 'profile whose ads are scored')
      .option('--json', 'machine-readable output')
      .action(({ profile, json }: { profile: string; json?: boolean }) =>
        withLedgers(async ({ app, platform, now }) => {
          const clickhouse = await platform.clickhouse({ requestTimeoutMs: statementTimeoutMs });
          const stop = new AbortController();
          process.once('SIGINT', () => stop.abort());
          const counts = await rebuildProfile({ app, clickhouse }, profile, now, stop.signal);
          if (!counts) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
          printItem({ ...counts }, json, 'Scored. Ads in each window:');
        }),
      ),
  );
