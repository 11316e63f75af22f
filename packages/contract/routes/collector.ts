import { limits, linkTokenParameter, verificationParameter, visitTraits, visitTypes } from '@tributary/vocabulary';
import { z } from 'zod';
import { fieldsOf, IsoTimestamp, Uuid } from '../primitives.ts';
import { route } from '../route.ts';

/** The collector's routes for browsers, at its own URL. */

const { maxAheadMinutes, maxAgeDays } = limits.visit;
const text = (most: number) => z.string().max(most, `may have up to ${most} characters`);
const Scalar = z.union([text(limits.visit.propertyCharacters), z.number(), z.boolean(), z.null()]);

/** For the reference only: the collector validates by hand and stores invalid visits as bad rows. */
const BrowserVisit = z.object({
  id: Uuid.describe('A UUIDv7 made by the browser. The same visit again, in whichever request, counts once.'),
  at: IsoTimestamp.describe(
    `The browser's clock. At most ${maxAheadMinutes} minutes ahead of ours and ${maxAgeDays} days behind it.`,
  ),
  type: z.enum(visitTypes),
  name: text(limits.visit.nameCharacters).optional().describe('What happened; for `track` only.'),
  session_id: Uuid.describe('A UUIDv7. A session ends after 30 idle minutes.'),
  is_session_start: z.boolean().default(false),
  url: text(limits.visit.urlCharacters),
  referrer: text(limits.visit.urlCharacters).optional(),
  properties: z
    .record(text(limits.visit.propertyNameCharacters), Scalar)
    .optional()
    .describe(`Up to ${limits.visit.properties}; for \`track\` only.`),
  traits: z
    .object(fieldsOf(visitTraits, text(limits.visit.traitCharacters).optional()))
    .optional()
    .describe('Who this browser says it is; for `identify` only.'),
  link_token: text(limits.visit.linkTokenCharacters)
    .optional()
    .describe(`What the address had as \`${linkTokenParameter}\`.`),
  verification: text(limits.visit.verificationCharacters)
    .optional()
    .describe(`What the address had as \`${verificationParameter}\`.`),
  signature: text(limits.visit.signatureCharacters)
    .optional()
    .describe('Of the traits, by your server; for `identify` only.'),
});

export const collectVisits = route({
  id: 'collectVisits',
  method: 'POST',
  path: '/v1/visits',
  server: 'collector',
  summary: 'Visits of one browser',
  description:
    'What the tracker sends. `text/plain` is read as JSON too, so that a beacon needs no preflight. The answer comes when the visits are on disk. A visit that breaks these shapes does not refuse the request: it is kept with its reason, and can be replayed. Send again after 429, 5xx and silence, under the same ids; drop on any other refusal.',
  chapter: 'Collector',
  audit: 'not needed: a visit is what a browser says, not a change of anything',
  access: { credentials: ['public'], grain: 'profile', entitlement: 'not needed' },
  idempotency: 'natural',
  rate: 'public',
  body: {
    schema: z.object({
      key: z
        .string()
        .regex(/^trk_[0-9A-Za-z]{22}$/)
        .describe("The profile's tracking key. It is public."),
      client_id: Uuid.describe('A UUIDv7 that the browser keeps for itself.'),
      consent: z
        .boolean()
        .optional()
        .describe(
          'Whether the person said yes to being tracked. Where the profile requires consent, a request without a true is refused with 403 and the reason `consent`.',
        ),
      visits: z.array(BrowserVisit).min(1).max(limits.visitRequest.visits),
    }),
    maxBytes: limits.visitRequest.bytes,
  },
  answers: { 204: { schema: z.undefined(), description: 'The visits are kept.' } },
  refusals: ['unauthorized', 'forbidden'],
});

export const readTracker = route({
  id: 'readTracker',
  method: 'GET',
  path: '/t.js',
  server: 'collector',
  summary: 'The browser script',
  chapter: 'Collector',
  access: { credentials: ['public'], grain: 'profile' },
  rate: 'public',
  answers: {
    200: {
      schema: z.string(),
      contentType: 'text/javascript; charset=utf-8',
      bare: true,
      example: '(function(){…})();',
    },
  },
});
