import type { Everywhere } from '@tributary/postgres';
import { recordKeyUse } from './store.ts';
import { LastUseRecorder } from './last-use-recorder.ts';

/** Records when keys were last used. */
export const keyUse = (everywhere: Everywhere, onError?: (error: unknown) => void) =>
  new LastUseRecorder({ query: (statement) => everywhere.ask(() => statement) }, recordKeyUse, onError);
