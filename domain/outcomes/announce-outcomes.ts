import { OutcomeProvider } from '@tributary/contract';
import { announce } from '@tributary/domain/events';
import type { Tx } from '@tributary/postgres';
import { v5 as uuidFrom } from 'uuid';
import { findOutcomeSubscriber, type OutcomeRow } from './store.ts';

/**
 * Tells of new outcomes that a CRM or payment provider brought, on a profile that an app governs. What a business says itself it
 * knows already; a healthcare-family profile tells nobody; and nobody is told of whoever was erased.
 */
export async function announceOutcomes(
  tx: Tx,
  profileId: string,
  outcomes: readonly OutcomeRow[],
  now: Date,
): Promise<void> {
  const told = outcomes.flatMap((row) => {
    const provider = OutcomeProvider.safeParse(row.source);
    return provider.success && row.provided && !row.erasedAt
      ? [{ row, provided: row.provided, provider: provider.data }]
      : [];
  });
  if (told.length === 0 || !(await findOutcomeSubscriber(tx))) return;
  await announce(
    tx,
    told.map(({ row, provided, provider }) => ({
      id: uuidFrom(`outcome.recorded:${row.id}`, profileId),
      type: 'outcome.recorded',
      data: {
        profile_id: profileId,
        outcome_id: row.id,
        provider,
        outcome_type: provided.outcomeType,
        occurred_at: row.occurredAt.toISOString(),
        recorded_at: now.toISOString(),
        external_id: provided.externalId,
        value: row.reporting && Number(row.reporting.amount),
      },
      occurredAt: now,
    })),
  );
}
