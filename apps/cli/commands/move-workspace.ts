import { recordMove } from '@tributary/domain/tenancy/tenants/module.ts';
import { findSourceServer, moveWorkspace } from '@tributary/postgres';
import { Command } from 'commander';
import { adminUrlsOf } from '../admin-urls.ts';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

interface Flags {
  readonly to: string;
  readonly json?: boolean;
}

export const moveCommand = () =>
  new Command('move')
    .description('Take a workspace with all of its profiles to another server of the ledger, while it is served')
    .argument('<workspace>', 'id of the workspace')
    .requiredOption('--to <shard>', 'the server that it goes to, of LEDGER_SHARDS')
    .option('--json', 'machine-readable output')
    .action((workspaceId: string, { to, json }: Flags) =>
      withLedgers(async ({ operator, settings }) => {
        const addresses = adminUrlsOf(settings);
        const target = addresses.get(to);
        if (!target) throw new Error(`There is no ledger shard "${to}" but ${[...addresses.keys()].join(', ')}.`);
        const others = [...addresses].filter(([shard]) => shard !== to);
        const from = await findSourceServer(workspaceId, to, others);
        if (!from) throw new Error(`There is no workspace ${workspaceId} on another server than "${to}".`);
        const { profiles, rows, pauseMs } = await moveWorkspace({
          workspaceId,
          from,
          to: { shard: to, url: target },
          say: (line) => console.error(line),
        });
        await recordMove(operator, workspaceId, { from: from.shard, to });
        const result = { id: workspaceId, from: from.shard, to, profiles, rows, pause_ms: Math.round(pauseMs) };
        printItem(result, json, 'Moved.');
      }),
    );
