import { verifyAudit } from '@tributary/domain/accountability/room.ts';
import { Command } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { tell } from '../output.ts';

export const auditCommand = () =>
  new Command('audit').description('The log of who changed what').addCommand(
    new Command('verify')
      .description('Recompute the hash chain of a workspace: was an entry changed, dropped or moved?')
      .argument('<workspace>', 'id of the workspace')
      .option('--json', 'machine-readable output')
      .action((workspaceId: string, { json }: { json?: boolean }) =>
        withLedgers(async ({ app }) => {
          const { entries, brokenAt, head } = await verifyAudit(app.forWorkspace(workspaceId), workspaceId);
          tell(
            { entries, broken_at: brokenAt ?? null, head },
            json,
            brokenAt ? `The chain is broken at entry ${brokenAt}.` : 'The chain holds.',
          );
          if (brokenAt) process.exitCode = 1;
        }),
      ),
  );
