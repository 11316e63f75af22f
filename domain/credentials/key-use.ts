import type { Everywhere } from '@tributary/postgres';
import { noteKeyUse } from './store.ts';
import { UseNotes } from './use-notes.ts';

/** Notes when keys were last used. */
export const keyUse = (everywhere: Everywhere, onError?: (error: unknown) => void) =>
  new UseNotes({ query: (statement) => everywhere.ask(() => statement) }, noteKeyUse, onError);
