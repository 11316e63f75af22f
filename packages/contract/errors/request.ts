import { limits, reservedLimits } from '@tributary/vocabulary';
import { z } from 'zod';
import { type ErrorTable, faults, field, reason } from './entry.ts';

const { mediaMegabytes: media } = reservedLimits;

/** Errors that any route may return. */
export const requestErrors = {
  not_found: {
    status: 404,
    title: 'Nothing here',
    meaning:
      'Either there is nothing at this address, or it belongs to someone else. Both get this same answer, so that ids cannot be guessed. Routes that are switched off here give it too.',
    whatToDo:
      'Check the method and the path (where another method is served, the header Allow names it), the id, and which profile the credential belongs to.',
    retry: 'after_change',
  },
  invalid_parameter: {
    status: 400,
    title: 'Parameter refused',
    meaning: 'A value in the path, the query or a header cannot be used. A few routes also give this for a body field.',
    whatToDo: 'Correct the value that the message names and send the request again.',
    retry: 'after_change',
    fields: { ...field, ...faults },
  },
  invalid_request: {
    status: 400,
    title: 'Request unreadable',
    meaning:
      'The request could not be read at all: broken JSON, another content type, or not the kind of body expected.',
    whatToDo: 'Send a JSON object, with Content-Type: application/json.',
    retry: 'after_change',
    fields: { ...reason, ...field },
  },
  validation_error: {
    status: 422,
    title: 'Body field refused',
    meaning: 'The JSON was read, but one of its fields has a value that cannot be accepted, is missing, or is unknown.',
    whatToDo: 'Correct the field that the message names, and those in `faults`, and send the request again.',
    retry: 'after_change',
    fields: { ...field, ...faults },
  },
  invalid_date_range: {
    status: 400,
    title: 'Dates refused',
    meaning: 'The two dates do not form a period this route can report on.',
    whatToDo: `Send date_from and date_to, both as YYYY-MM-DD days that exist, the first no later than the second, and no further apart than ${limits.dateRange.maxDays} days.`,
    retry: 'after_change',
  },
  payload_too_large: {
    status: 413,
    title: 'Too much data',
    meaning: `The body is larger than this route reads. For media, which no route takes yet, the caps would be ${media.image} MB for an image, ${media.video} MB for sound or video and ${media.document} MB for a document.`,
    whatToDo: 'Split the batch into several requests, or send a smaller file.',
    retry: 'after_change',
  },
  invalid_state: {
    status: 409,
    title: 'Not possible right now',
    meaning:
      'The thing exists, but as it stands it does not allow this: a name is taken, say, or an invitation was already used or withdrawn.',
    whatToDo:
      'Read the thing again, see what its state allows, and decide from there. `reason` often says what stood in the way.',
    retry: 'after_change',
    fields: {
      ...reason,
      retry_at: z.iso.datetime().optional().describe('From when on it may be possible, where that is known.'),
    },
  },
  rate_limit_exceeded: {
    status: 429,
    title: 'Too many requests',
    meaning: 'This key, app, address or daily allowance has used up what it may for now.',
    whatToDo: 'Wait for the number of seconds in Retry-After. X-RateLimit-Reset tells when the full allowance is back.',
    retry: 'after_retry_after',
    fields: reason,
  },
  idempotency_key_conflict: {
    status: 409,
    title: 'Idempotency key already taken',
    meaning:
      'An earlier request used this Idempotency-Key for another operation, with another body or with other rights, or it was carried out and its answer was too large to keep, as the message says. Nothing was done now.',
    whatToDo:
      'For a new operation make a new key. To repeat the old one, send exactly what was sent then. Where the answer was not kept, read what was made.',
    retry: 'after_change',
  },
  idempotency_key_in_flight: {
    status: 409,
    title: 'Still working on the first request',
    meaning: 'A request with this Idempotency-Key is being worked on at this moment.',
    whatToDo: `Keep the key and try again with growing pauses. When the first request is through you get its answer, for ${limits.idempotency.replayHours} hours.`,
    retry: 'with_backoff',
  },
  service_unavailable: {
    status: 503,
    title: 'Out of reach for now',
    meaning: 'Something this route depends on is down, or the operator has not set it up.',
    whatToDo:
      'Try again with growing pauses. If it lasts, ask the operator whether the part that the message names is set up.',
    retry: 'with_backoff',
  },
  not_implemented: {
    status: 501,
    title: 'Not offered here',
    meaning: 'This deployment, or the provider behind the request, cannot do what was asked.',
    whatToDo: 'Do not repeat it. Use another provider, or ask the operator about the capability.',
    retry: 'never',
  },
  internal_error: {
    status: 500,
    title: 'Our fault',
    meaning: 'Something broke on our side that should not have.',
    whatToDo:
      'Try again with growing pauses; give writes an Idempotency-Key so that none happens twice. If it lasts, report the request_id.',
    retry: 'with_backoff',
  },
} as const satisfies ErrorTable;
