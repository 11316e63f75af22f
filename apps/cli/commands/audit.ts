import { verifyAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

export const auditCommand = () =>
  new Command('audit').addCommand(
    new Command('verify')
      .description('Recompute a hash chain: was an entry changed, dropped or moved?')
      .argument('[workspace]', 'id of a workspace; without one, the chain of the installation: apps, people, keys')
      .option('--json', 'machine-readable output')
      .action((workspaceId: string | undefined, { json }: { json?: boolean }) =>
        withLedgers(async ({ app, operator }) => {
          const chains = workspaceId
            ? [await verifyAudit(app.forWorkspace(workspaceId), { workspaceId })]
            : await Promise.all([...operator.ledgers.values()].map((one) => verifyAudit(one, 'installation')));
          // Each server of the ledger has its own chain of installation-wide entries.
          const entries = chains.reduce((sum, chain) => sum + chain.entries, 0);
          const brokenAt = chains.find((chain) => chain.brokenAt)?.brokenAt;
          printItem(
            { entries, broken_at: brokenAt ?? null, head: chains.map(({ head }) => head).join(' ') },
            json,
            brokenAt ? `The chain is broken at entry ${brokenAt}.` : 'The chain holds.',
          );
          if (brokenAt) process.exitCode = 1;
        }),
      ),
  );
