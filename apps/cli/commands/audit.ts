import { verifyAudit } from '@tributary/domain/accountability/room.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';

export const auditCommand = () =>
  new Command('audit').addCommand(
    new Command('verify')
      .description('Recompute a hash chain: was an entry changed, dropped or moved?')
      .argument('[workspace]', 'id of a workspace; without one, the chain of the installation: apps, people, keys')
      .option('--json', 'machine-readable output')
      .action((workspaceId: string | undefined, { json }: { json?: boolean }) =>
        withLedgers(async ({ app, operator }) => {
          const { entries, brokenAt, head } = await (workspaceId
            ? verifyAudit(app.forWorkspace(workspaceId), { workspaceId })
            : verifyAudit(operator.ledger, 'installation'));
          tell(
            { entries, broken_at: brokenAt ?? null, head },
            json,
            brokenAt ? `The chain is broken at entry ${brokenAt}.` : 'The chain holds.',
          );
          if (brokenAt) process.exitCode = 1;
        }),
      ),
  );
