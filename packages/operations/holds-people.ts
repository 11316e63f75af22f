import type { PersonTables, Postgres, Tx } from '@tributary/postgres';
import type { Vault } from '@tributary/vault';
import { eraseAnswers, readAnswers } from './idempotency.ts';

interface Erased {
  readonly profileId: string;
  readonly customerIds: readonly string[];
  readonly identifiers: readonly { readonly value: string }[];
}

/** The answers that are kept for repeated requests name people, and nobody but this package can open them. */
export const holdsPeople = {
  postgres: {
    idempotent_answers: {
      erasure: 'cleared',
      owner: 'owner_id',
      words: 'Stored answers are written again without the person.',
    },
    idempotent_answer_people: { erasure: 'deleted', owner: 'owner_id', words: 'Which answers named the person.' },
  } satisfies PersonTables,

  async erase(tx: Tx, { profileId, customerIds, identifiers }: Erased, { vault }: { readonly vault: Vault }) {
    const names = new Set([...customerIds, ...identifiers.map(({ value }) => value)]);
    return { idempotent_answers: await eraseAnswers(tx, profileId, customerIds, names, vault) };
  },

  opened: {
    'postgres idempotent_answers, opened': (
      profileId: string,
      { app, vault }: { readonly app: Postgres; readonly vault: Vault },
    ) => readAnswers(app.forProfile(profileId), profileId, vault),
  },
} as const;
