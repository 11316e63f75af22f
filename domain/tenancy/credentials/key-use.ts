import type { AllShards } from '@tributary/postgres';
import { LastUseRecorder } from './last-use-recorder.ts';
import { recordKeyUse } from './store.ts';

/** Records when keys were last used. */
export const keyUse = (everywhere: AllShards, onError?: (error: unknown) => void) =>
  new LastUseRecorder({ query: (statement) => everywhere.query(() => statement) }, recordKeyUse, onError);
