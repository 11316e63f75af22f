import {
  limits,
  refusedVisits,
  replayStates,
  verificationStatuses,
  visitTypes,
  watchedTables,
} from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  DateRange,
  data,
  dateRangeFaults,
  IsoTimestamp,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Flag } from '../vocabulary.ts';

/** The state of tracking: verification of the installation, received events, and the state of the analytics store. */

const chapter = 'Tracking';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const write = { credentials, scopes: anyOf('attribution:write'), grain: 'profile' } as const;
const read = { credentials, scopes: anyOf('analytics:read'), grain: 'profile' } as const;

const Count = z.int().min(0);

const Verification = z.strictObject({
  id: Uuid,
  url: z.string(),
  link: z.string().describe('Open it in a browser: its visit proves the installation.'),
  status: z.enum(verificationStatuses),
  snippet_present: z
    .boolean()
    .nullable()
    .describe(
      'Whether the page’s text names the key. A hint only: tag managers add it later. Null: it could not be fetched.',
    ),
  hint: z.string().nullable().describe('What fetching the page showed, in words.'),
  started_at: IsoTimestamp,
  expires_at: IsoTimestamp,
  verified_at: IsoTimestamp.nullable(),
});

export const readTrackingVerification = route({
  id: 'readTrackingVerification',
  method: 'GET',
  path: '/api/v1/tracking/verification',
  summary: 'The latest verification of the installation',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: { 200: { schema: data(Verification.nullable()), description: 'Data is null when there was none.' } },
});

export const createTrackingVerification = route({
  id: 'createTrackingVerification',
  method: 'POST',
  path: '/api/v1/tracking/verification',
  summary: 'Start a verification of the installation',
  description:
    'Fetches the page once to look for the snippet, and gives a link whose visit proves that the tracker works there.',
  chapter,
  audit: { action: 'tracking_verification.started', of: 'tracking_verification:{data.id}' },
  access: write,
  body: {
    schema: z.strictObject({
      url: z
        .url({ protocol: /^https?$/, error: 'must be an address that starts with https://' })
        .max(2_000)
        .describe('A page with the tracker on it.')
        .meta({ examples: ['https://shop.example/'] }),
    }),
  },
  idempotency: 'accepted',
  answers: { 201: { schema: data(Verification) } },
});

const EventType = z.enum(visitTypes);
const MaybeText = z.string().nullable();

const TrackedEvent = z
  .strictObject({
    visit_id: Uuid,
    visitor_id: Uuid,
    customer_profile_id: Uuid.nullable().describe('Whose browser it is, once that is known.'),
    session_id: Uuid,
    is_session_start: z.boolean(),
    occurred_at: IsoTimestamp,
    received_at: IsoTimestamp,
    event_type: z.string(),
    event_name: z.string(),
    is_bot: z.boolean(),
    channel: z
      .string()
      .describe(
        'What brought the session, for a page within the site, too; so are source, medium, platform and the ad.',
      ),
    source: z.string(),
    medium: MaybeText,
    platform: MaybeText,
    click_id_kind: MaybeText,
    campaign_external_id: MaybeText,
    ad_set_external_id: MaybeText,
    ad_external_id: MaybeText,
    utm_source: MaybeText,
    utm_medium: MaybeText,
    utm_campaign: MaybeText,
    utm_term: MaybeText,
    utm_content: MaybeText,
    utm_id: MaybeText,
    url: MaybeText,
    path: MaybeText,
    referrer: MaybeText,
    referrer_host: MaybeText,
    device: z.string(),
    browser: MaybeText,
    os: MaybeText,
    country: z.string(),
    city: MaybeText,
  })
  .meta({ id: 'TrackedEvent', description: 'A visit with all that was found out about it.' });

export const listTrackingEvents = route({
  id: 'listTrackingEvents',
  method: 'GET',
  path: '/api/v1/tracking/events',
  summary: `The enriched visits of the last ${limits.trackingEvents.windowDays} days, newest first`,
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('visitors:read'), grain: 'person' },
  query: z.object({
    event_type: EventType.optional(),
    channel: z
      .string()
      .regex(/^[a-z_]{1,40}$/, 'must be a channel, like paid_search')
      .optional(),
    include_bots: Flag.default('false'),
    limit: limitParameter(limits.trackingEvents.pageSize),
    cursor: z.string().max(200).optional(),
  }),
  answers: { 200: { schema: page(TrackedEvent) } },
});

const TableState = z.strictObject({
  table: z.enum(watchedTables),
  rows: Count.describe('Of this profile, copies of redelivered ones included until they are merged.'),
  parts: Count.describe('Parts that hold rows of this profile.'),
  pending_mutations: Count.describe('Changes of rows of this profile that are under way.'),
});

export const readTrackingOps = route({
  id: 'readTrackingOps',
  method: 'GET',
  path: '/api/v1/tracking/ops',
  summary: 'How the warehouse stands',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          newest_received_at: IsoTimestamp.nullable(),
          lag_seconds: z
            .int()
            .nullable()
            .describe(
              'Since the newest stored visit was received: what the pipeline is behind, or how long the sites are silent.',
            ),
          tables: z.array(TableState),
        }),
      ),
    },
  },
});

const QualityFigures = {
  accepted: Count.describe('Visits in the warehouse, bots included.'),
  bots: Count,
  bad: Count.describe(
    'Visits that could not be understood. They wait for a replay, or were too many and left their reason only.',
  ),
  bad_by_reason: z.record(z.string(), Count),
  refused: Count.describe('Visits that the collector sent away and only counted. Their days are those of UTC.'),
  refused_by_reason: z.record(z.string(), Count).describe(
    Object.entries(refusedVisits)
      .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
      .join(' '),
  ),
  unmatched: Count.describe('Visits of browsers, bots left out, that belong to no customer yet.'),
};

export const readTrackingQuality = route({
  id: 'readTrackingQuality',
  method: 'GET',
  path: '/api/v1/tracking/quality',
  summary: 'What arrived, day by day, and what became of it',
  description: `Days are those of arrival, in the profile’s time zone, up to ${limits.dateRange.maxDays} of them.`,
  reveals: { days: 'requested', people: 'none', costs: false },
  chapter,
  access: read,
  query: DateRange,
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          total: z.strictObject(QualityFigures),
          is_unmatched_estimated: z
            .boolean()
            .describe(
              'With very many known browsers, `unmatched` is worked out from a part of all browsers and scaled.',
            ),
          last_visit_at: IsoTimestamp.nullable(),
          silent_since: IsoTimestamp.nullable().describe(
            `When the last visit came, if none has come for ${limits.tracking.silentAfterHours} hours since.`,
          ),
          days: z.array(z.strictObject({ date: CalendarDate, ...QualityFigures })),
        }),
      ),
    },
  },
});

const Replay = z.strictObject({
  id: Uuid,
  cause: z.string(),
  state: z.enum(replayStates),
  buckets_total: Count.nullable(),
  buckets_done: Count,
  conversions_done: Count,
  requested_at: IsoTimestamp,
  started_at: IsoTimestamp.nullable(),
  finished_at: IsoTimestamp.nullable(),
  error: z.string().nullable(),
});

export const readReplayStatus = route({
  id: 'readReplayStatus',
  method: 'GET',
  path: '/api/v1/tracking/replay-status',
  summary: 'The most recent replay of attribution',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: { 200: { schema: data(Replay.nullable()), description: 'Data is null when there was none.' } },
});
