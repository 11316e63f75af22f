import { withPlatform } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';
import { listSetAside, queues, retrySetAside, type SetAside, type SetAsideFilter } from '@tributary/work';
import { Command } from 'commander';
import { printItem, printRows } from '../output.ts';

interface Flags {
  readonly queue?: string;
  readonly profile?: string;
  readonly json?: boolean;
}

/** So many parked items have one common cause; listing more would not help. */
const maxListed = 1_000;

export const workCommand = () => new Command('work').addCommand(list()).addCommand(retry());

const withFilter = (command: Command) =>
  command
    .option('--queue <name>', `one of ${names().join(', ')}`)
    .option('--profile <id>', 'only what is of this profile')
    .option('--json', 'machine-readable output');

const list = () =>
  withFilter(new Command('list').description('What failed by itself while the rest succeeded, and why')).action(
    (flags: Flags) =>
      withQueues(flags, async (system, filter) => {
        const found: SetAside[] = [];
        for (const shard of system.shards.values()) {
          for await (const page of listSetAside(shard, filter)) {
            found.push(...page);
            if (found.length >= maxListed) break;
          }
        }
        const rows = found.slice(0, maxListed).map(({ queue, key, item, reason, setAsideAt, isWanted }) => ({
          queue,
          profile: key,
          item,
          reason,
          set_aside_at: setAsideAt,
          tried_again_soon: isWanted,
        }));
        printRows(rows, flags.json, 'Nothing is set aside.');
      }),
  );

const retry = () =>
  withFilter(
    new Command('retry').description('Have the workers try it again, after what stood in its way is gone'),
  ).action((flags: Flags) =>
    withQueues(flags, async (system, filter) => {
      let tried = 0;
      for (const shard of system.shards.values()) tried += await retrySetAside(shard, filter);
      printItem({ tried_again: tried }, flags.json, 'Asked for. What fails again is in "tributary work list" again.');
    }),
  );

const names = (): string[] => Object.values(queues).map(({ name }) => name);

function withQueues({ queue, profile }: Flags, work: (system: Postgres, filter: SetAsideFilter) => Promise<void>) {
  if (queue !== undefined && !names().includes(queue))
    throw new Error(`There is no queue "${queue}". There are: ${names().join(', ')}.`);
  return withPlatform(async (platform) =>
    work(await platform.postgres('system', { poolSize: 1 }), { queue, key: profile }),
  );
}
