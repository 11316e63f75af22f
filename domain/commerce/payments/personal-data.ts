import type { PersonalData } from '@tributary/domain/commerce/customers';
import { sql } from 'kysely';

export const personalData: PersonalData = {
  postgres: {
    payment_entries: {
      erasure: 'renamed',
      words: 'What merchants said of payments stays, of the customer without a person.',
    },
  },
  async erase(tx, { profileId, customerIds, shellId }) {
    const { numAffectedRows } = await sql`
      UPDATE payment_entries SET payer_id = ${shellId}
      WHERE profile_id = ${profileId} AND payer_id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
    return { payment_entries: Number(numAffectedRows ?? 0) };
  },
};
