import { TributaryError } from '@tributary/sdk';
import { say } from './words/index.ts';

/** Why something was refused, in the reader's language where there are words for it; else in the API's. */
export const problemOf = (error: Error): string =>
  (error instanceof TributaryError ? say.errors[error.code] : undefined) ?? error.message;
