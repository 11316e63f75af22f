import { TributaryError } from '@tributary/sdk';
import { t } from './messages/index.ts';

/** The error message in the reader's language if it is translated, otherwise the API's message. */
export const problemOf = (error: Error): string =>
  (error instanceof TributaryError ? t.errors[error.code] : undefined) ?? error.message;
