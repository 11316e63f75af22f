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
  /** Other statuses that the code may have. */
  readonly alternateStatuses?: readonly number[];
  readonly title: string;
  readonly meaning: string;
  readonly whatToDo: string;
  readonly retry: Retry;
  /** Fields of the envelope besides the common ones. */
  readonly fields?: Readonly<Record<string, z.ZodType>>;
  /** Reserved for a capability that no route of this version offers. */
  readonly reserved?: true;
}

export type ErrorTable = Record<string, ErrorEntry>;

/**
 * Narrows a code that many routes share. A refusal that concerns one resource has its own code instead, so that callers need to
 * read only one field.
 */
export const reason = {
  reason: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/)
    .optional()
    .describe('A stable word that narrows the code down.'),
};

/** The field's name alone, for programs; the message also contains it, for people. */
export const field = {
  field: z.string().min(1).optional().describe('The field or parameter at fault, like rows.3.email.'),
};

/** Every fault of a body or query, so that the caller can fix all of them at once. */
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

/** Only if a provider revoked our token. */
export const reconnect = {
  reconnect_required: z.literal(true).optional().describe('The provider withdrew its consent: connect again.'),
  reconnect_url: z.url().optional().describe('Where a person connects again.'),
};
