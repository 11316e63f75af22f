import { listSuspects } from '@tributary/domain/commerce/customers/module.ts';
import { findProfile } from '@tributary/domain/tenancy/tenants/module.ts';
import { nilUuid } from '@tributary/vocabulary';
import { Command, InvalidArgumentError } from 'commander';
import { withLedgers } from '../ledgers.ts';
import { printRows } from '../output.ts';

interface SuspectFlags {
  readonly profile: string;
  readonly after: string;
  readonly limit: number;
  readonly json?: boolean;
}

export const identityCommand = () =>
  new Command('identity').addCommand(
    new Command('suspects')
      .description('List customers who may be two people, joined by a shared phone before strong identifiers decided')
      .requiredOption('--profile <id>', 'profile whose customers are looked at')
      .option('--after <customer>', 'go on after this customer', nilUuid)
      .option('--limit <number>', 'how many to list', asLimit, 100)
      .option('--json', 'machine-readable output')
      .action(({ profile, after, limit, json }: SuspectFlags) =>
        withLedgers(async ({ app }) => {
          const found = await app.forProfile(profile).transaction((tx) => findProfile(tx, profile));
          if (!found) throw new Error('There is no such profile. "tributary profile list" shows those there are.');
          const { suspects, next } = await listSuspects(app, profile, {
            after,
            limit,
            progress: (looked) => {
              if (looked > 0) console.error(`${looked} customers looked at`);
            },
          });
          printRows(
            suspects.map(({ customerId, externalIds, joinedAt, foundBy }) => ({
              customer_id: customerId,
              external_ids: externalIds,
              joined_at: joinedAt,
              found_by: foundBy,
            })),
            json,
            'Nobody.',
          );
          if (next) console.error(`There may be more: go on with --after ${next}`);
        }),
      ),
  );

function asLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw new InvalidArgumentError('1 to 1000.');
  return limit;
}
