import type { FindNamingErased, PersonalData } from '@tributary/domain/commerce/customers';
import type { Postgres } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';
import { eraseJourneys, openSummaries } from './store.ts';

interface Stores {
  readonly app: Postgres;
  readonly vault: Vault;
}

export const personalData: PersonalData<unknown, Stores> = {
  postgres: {
    journey_summaries: {
      erasure: 'deleted',
      words:
        'What a model wrote of the person or of one of their browsers, and what it wrote of others that names them.',
    },
  },
  erase: async (tx, { profileId, customerIds, visitorIds }) => ({
    journey_summaries: await eraseJourneys(tx, profileId, [...customerIds, ...visitorIds]),
  }),
  forget: async (...args) => ({ journey_summaries_naming: await forgetSummaries(...args) }),
  opened: { 'postgres journey_summaries, opened': summariesOf },
};

/** Also removes summaries that were written while the erasure ran. */
async function forgetSummaries(
  profileId: string,
  { app, vault }: Stores,
  findNaming: FindNamingErased,
  signal: AbortSignal,
): Promise<number> {
  const ledger = app.forProfile(profileId);
  let erasedCount = 0;
  for await (const page of openSummaries(ledger, profileId, vault)) {
    signal.throwIfAborted();
    const ids = (await findNaming(profileId, page)).map(({ personId }) => personId);
    if (ids.length > 0) erasedCount += await ledger.transaction((tx) => eraseJourneys(tx, profileId, ids));
  }
  return erasedCount;
}

async function* summariesOf(profileId: string, { app, vault }: Stores): AsyncIterable<unknown> {
  for await (const page of openSummaries(app.forProfile(profileId), profileId, vault))
    for (const { content } of page) yield content;
}
