import { z } from 'zod';

/** What repeating the call can achieve. */
export const retries = {
  never: 'Nothing the caller does makes this call succeed here.',
  after_change: 'Change the request, the credential or the thing it is about, then send it again.',
  with_backoff: 'Send the same request again, waiting longer each time.',
  after_retry_after: 'Send the same request again once the time in Retry-After has passed.',
} as const satisfies Record<string, string>;

export type Retry = keyof typeof retries;

export interface ErrorEntry {
  readonly status: number;
  /** Other statuses the same code may come with. */
  readonly alternateStatuses?: readonly number[];
  readonly title: string;
  readonly meaning: string;
  readonly whatToDo: string;
  readonly retry: Retry;
  /** What the envelope carries besides the fields that every error has. */
  readonly fields?: Readonly<Record<string, z.ZodType>>;
  /** The name is kept for a capability that no route of this version offers. */
  readonly reserved?: true;
}

export type ErrorTable = Record<string, ErrorEntry>;

/**
 * Refines a code that many routes share. A refusal that belongs to one resource has a code of its own instead, so that a caller
 * never has to read two fields to know what happened.
 */
export const reason = {
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .optional()
    .describe('A stable word that narrows the code down.'),
};

/** Added by us: the name alone, for programs. The message names it too, for people. */
export const field = {
  field: z.string().min(1).optional().describe('The field or parameter at fault, like rows.3.email.'),
};

/** All that is wrong with a body or a query, so that it takes one answer to put it right. */
export const faults = {
  faults: z
    .array(
      z.strictObject({
        field: z.string().describe('The field or parameter at fault; empty when it is the whole body.'),
        message: z.string().describe('What is wrong with it.'),
      }),
    )
    .optional()
    .describe('When more than one thing is wrong: each of them, up to 20, the one that the message names first.'),
};

/** Only when a provider withdrew our token. */
export const reconnect = {
  reconnect_required: z.literal(true).optional().describe('The provider withdrew its consent: connect again.'),
  reconnect_url: z.url().optional().describe('Where a person connects again.'),
};
