import type { PersonalDataTables } from '@tributary/postgres';

const member = { erasure: 'not a customer', words: 'Who signs in to the console.' } as const;
const assistant = { erasure: 'not a customer', words: 'Of the assistants of those who sign in.' } as const;

export const personalData: { readonly postgres: PersonalDataTables } = {
  postgres: {
    users: member,
    sessions: member,
    accounts: member,
    two_factors: member,
    passkeys: member,
    password_resets: member,
    invitations: { erasure: 'not a customer', words: 'Who is asked to sign in to the console.' },
    verifications: { erasure: 'not a customer', words: 'Codes of those who sign in.' },
    oauth_access_tokens: assistant,
    oauth_refresh_tokens: assistant,
  },
};
