import type { PersonalDataTables, Postgres, Tx } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';
import { eraseAnswers, forgetAnswersNaming, openAnswers } from './idempotency.ts';

interface Erased {
  readonly profileId: string;
  readonly customerIds: readonly string[];
}

interface Stores {
  readonly app: Postgres;
  readonly vault: Vault;
}

/** Stored answers contain personal data, and only this package can decrypt them. */
export const personalData = {
  postgres: {
    idempotent_answers: {
      erasure: 'cleared',
      owner: 'owner_id',
      words: 'Of a stored answer that names the person its status stays.',
    },
    idempotent_answer_people: { erasure: 'deleted', owner: 'owner_id', words: 'Which answers named the person.' },
  } satisfies PersonalDataTables,

  async erase(tx: Tx, { profileId, customerIds }: Erased, { vault }: { readonly vault: Vault }) {
    return { idempotent_answers: await eraseAnswers(tx, profileId, customerIds, vault) };
  },

  async forget(
    profileId: string,
    { app, vault }: Stores,
    findNaming: Parameters<typeof forgetAnswersNaming>[3],
    signal: AbortSignal,
  ) {
    const emptied = await forgetAnswersNaming(app.forProfile(profileId), profileId, vault, findNaming, signal);
    return { idempotent_answers_naming: emptied };
  },

  opened: {
    'postgres idempotent_answers, opened': answersOf,
  },
} as const;

async function* answersOf(profileId: string, { app, vault }: Stores): AsyncIterable<unknown> {
  for await (const page of openAnswers(app.forProfile(profileId), profileId, vault))
    for (const { content } of page) yield content;
}
