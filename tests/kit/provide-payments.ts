import { type ReadEvent, readOneOfMany, recordOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import type { OutcomeProvider } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { testOutcomeServices } from './serve.ts';
import type { Testkit } from './testkit.ts';

export interface ProvidedPayment {
  readonly id: string;
  /** Null: the provider knows no customer. */
  readonly customer: string | null;
  readonly value: string;
  readonly at: Date;
  readonly properties?: object;
}

/** Records payments as one page of a provider's sync does. */
export const providePayments = (
  { app, clock }: Pick<Testkit, 'app' | 'clock'>,
  profileId: string,
  { source, connectionId = null }: { readonly source: OutcomeProvider; readonly connectionId?: string | null },
  payments: readonly ProvidedPayment[],
): Promise<void> =>
  app.forProfile(profileId).transaction(async (tx) => {
    const now = clock.now();
    const reads = payments.map(({ id, customer, value, at, properties }): ReadEvent => {
      const key = `${source}:${id}:payment_received`;
      const body = {
        event_name: 'payment_received',
        idempotency_key: key,
        occurred_at: at.toISOString(),
        properties: { value, currency: 'USD', ...properties },
        user_traits: customer ? { email: `${customer}@example.test` } : {},
      };
      const read = readOneOfMany(profileId, body, now, () => key);
      if (!('event' in read)) throw new Error(JSON.stringify(read));
      return { ...read, provided: { externalId: id, outcomeType: 'payment_received' } };
    });
    await recordOutcomes(tx, reads, {
      ...testOutcomeServices,
      profileId,
      now,
      evidence: { source, saidAt: now, requestId: `req_${uuid()}` },
      teller: { source, connectionId },
    });
  });
