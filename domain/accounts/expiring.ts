import type { Expiring } from '@tributary/postgres';

/** With a session go the assistants' tokens that it allowed. Verifications are codes that were never redeemed. */
export const expiringSessions: readonly Expiring[] = [
  { table: 'sessions', key: ['id'] },
  { table: 'verifications', key: ['id'] },
];
