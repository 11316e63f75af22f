import type { UnboundLedger } from '@tributary/postgres';
import { noteKeyUse } from './store.ts';
import { UseNotes } from './use-notes.ts';

/** Notes when keys were last used. */
export const keyUse = (ledger: UnboundLedger, onError?: (error: unknown) => void) =>
  new UseNotes(ledger, noteKeyUse, onError);
