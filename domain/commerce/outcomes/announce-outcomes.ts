import { OutcomeProvider } from '@tributary/contract';
import { announce } from '@tributary/domain/tenancy/events';
import type { Tx } from '@tributary/postgres';
import { v5 as uuidFrom } from 'uuid';
import { findOutcomeSubscriber, type OutcomeRow } from './store.ts';

/**
 * Publishes new outcomes from CRM and payment providers, on profiles that an app governs. Outcomes that the business sent itself are not
 * published, nor are those of healthcare-family profiles and erased customers.
 */
export async function announceOutcomes(
  tx: Tx,
  profileId: string,
  outcomes: readonly OutcomeRow[],
  now: Date,
): Promise<void> {
  const published = outcomes.flatMap((row) => {
    const provider = OutcomeProvider.safeParse(row.source);
    return provider.success && row.provided && !row.erasedAt
      ? [{ row, provided: row.provided, provider: provider.data }]
      : [];
  });
  if (published.length === 0 || !(await findOutcomeSubscriber(tx))) return;
  await announce(
    tx,
    published.map(({ row, provided, provider }) => ({
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
