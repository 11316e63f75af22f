import { z } from 'zod';
import { accessErrors } from './errors/access.ts';
import { connectionErrors } from './errors/connections.ts';
import type { ErrorEntry, ErrorTable } from './errors/entry.ts';
import { paymentErrors } from './errors/payments.ts';
import { peopleErrors } from './errors/people.ts';
import { requestErrors } from './errors/request.ts';
import { reservedErrors } from './errors/reserved.ts';
import { enumOf, RequestId } from './primitives.ts';

export { type ErrorEntry, type Retry, retries } from './errors/entry.ts';

/** Every error code of this API. Codes never change, because callers branch on them. */
export const errors = {
  ...requestErrors,
  ...accessErrors,
  ...peopleErrors,
  ...paymentErrors,
  ...connectionErrors,
  ...reservedErrors,
} as const satisfies ErrorTable;

export type ErrorCode = keyof typeof errors;
export const ErrorCode = enumOf(errors);

/** The catalogue entry with all optional parts, for codes that are not known at compile time. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return errors[code];
}

/**
 * The fields that accompany a code besides the common ones: `ErrorFields<'insufficient_scope'>` is `{required_scopes?: Scope[]}`.
 */
export type ErrorFields<Code extends ErrorCode> = (typeof errors)[Code] extends {
  fields: infer Fields extends z.core.$ZodShape;
}
  ? z.infer<z.ZodObject<Fields, z.core.$strict>>
  : Record<never, never>;

export interface ErrorEnvelope<Code extends ErrorCode = ErrorCode> {
  error: { code: Code; message: string; status: number; request_id: string; docs_url: string } & ErrorFields<Code>;
}

function errorBody(code: ErrorCode) {
  const { status, alternateStatuses = [], fields } = errorEntry(code);
  return z.strictObject({
    code: z.literal(code),
    message: z.string().min(1),
    status: z.literal([status, ...alternateStatuses]),
    request_id: RequestId,
    docs_url: z.url(),
    ...fields,
  });
}

/** The response schema of one code. Strict: fields that the catalogue does not declare for this code are rejected. */
export function errorEnvelope<Code extends ErrorCode>(code: Code) {
  const envelope = z.strictObject({ error: errorBody(code) });
  // The fields are looked up by a code that only the caller knows, so the compiler cannot infer them here.
  return envelope as unknown as z.ZodType<ErrorEnvelope<Code>>;
}

const [firstCode, ...otherCodes] = ErrorCode.options;
if (!firstCode) throw new Error('the error catalogue is empty');

/** Any error response; each code is checked against its own status and fields. */
export const AnyErrorEnvelope = z.strictObject({
  error: z.discriminatedUnion('code', [errorBody(firstCode), ...otherCodes.map(errorBody)]),
});
