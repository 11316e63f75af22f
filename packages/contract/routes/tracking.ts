import { domainRecordTypes, limits, originKinds, pixelPlatforms, trackingDomainStatuses } from '@tributary/vocabulary';
import { z } from 'zod';
import { Deleted, data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';

/** Tracking of a profile's sites: keys, installation, custom domains, settings. */

const chapter = 'Tracking';
const ofSetUp = { reveals: { days: 'any', people: 'none', costs: false }, chapter } as const;
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const write = { credentials, scopes: anyOf('attribution:write'), grain: 'profile' } as const;
const read = { credentials, scopes: anyOf('analytics:read'), grain: 'profile' } as const;
const install = { credentials, scopes: anyOf('attribution:write', 'analytics:read'), grain: 'profile' } as const;

// ── Keys
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const TrackingKeyText = z
  .string()
  .regex(/^trk_[0-9A-Za-z]{22}$/)
  .meta({ examples: ['trk_4fXk2LmQ9sTb7WvYcR1nZd'] });

const TrackingKey = z.strictObject({
  id: Uuid,
  key: TrackingKeyText.describe('Public: it stands in every page, says where a visit goes, and can read nothing.'),
  created_at: IsoTimestamp,
});

export const createTrackingKey = route({
  id: 'createTrackingKey',
  method: 'POST',
  path: '/api/v1/tracking/keys',
  summary: 'Issue the tracking key of the profile',
  description: 'A profile has one active key. Asked again, also by many at once, it answers with that one.',
  chapter,
  audit: { action: 'tracking_key.created', of: 'tracking_key:{data.id}', unchanged: 200 },
  access: write,
  idempotency: 'natural',
  answers: {
    201: { schema: data(TrackingKey) },
    200: { schema: data(TrackingKey), description: 'The key that was active already.' },
  },
});

export const listTrackingKeys = route({
  id: 'listTrackingKeys',
  method: 'GET',
  path: '/api/v1/tracking/keys',
  summary: 'The active tracking keys of the profile',
  ...ofSetUp,
  access: install,
  answers: { 200: { schema: data(z.array(TrackingKey)) } },
});

const inPath = { params: z.object({ id: Uuid }), refusedAs: { id: 'not_found' } } as const;

export const deleteTrackingKey = route({
  id: 'deleteTrackingKey',
  method: 'DELETE',
  path: '/api/v1/tracking/keys/{id}',
  summary: 'Revoke a tracking key',
  description:
    'Collectors notice within seconds. Pages that still carry the key are refused until they carry a new one.',
  chapter,
  audit: { action: 'tracking_key.revoked', of: 'tracking_key:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'tracking_key' },
  answers: { 200: { schema: data(Deleted) } },
});

export const createIdentifySecret = route({
  id: 'createIdentifySecret',
  method: 'POST',
  path: '/api/v1/tracking/keys/{id}/identify-secret',
  summary: 'Make the secret with which your server signs what identify says',
  description:
    'It is shown once, and takes the place of an earlier one at once. The signature is HMAC-SHA256, in hexadecimal, over external_id, email and phone, a line each.',
  chapter,
  audit: { action: 'tracking_key.identify_secret_created', of: 'tracking_key:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'tracking_key' },
  answers: { 201: { schema: data(z.strictObject({ id: Uuid, identify_secret: z.string() })) } },
});

// ── Installation ────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const tag = '<script async src="https://collect.example.com/t.js" data-key="trk_a1B2a1B2a1B2a1B2a1B2Zz"></script>';
export const readTrackingSnippet = route({
  id: 'readTrackingSnippet',
  method: 'GET',
  path: '/api/v1/tracking/snippet',
  summary: 'The tag that puts the tracker into a page',
  description:
    'HTML to paste before `</head>`, with the active key in it. With `pixel` and `pixel_id` the base code of an ad platform’s own pixel ' +
    'comes along; healthcare-family profiles get none. Answers 409 while the profile has no active key.',
  ...ofSetUp,
  access: install,
  query: z.object({
    pixel: z.enum(pixelPlatforms).optional().describe('The ad platform whose pixel comes along.'),
    pixel_id: z
      .string()
      .max(40)
      .optional()
      .describe('The id of that pixel, as the platform writes it.')
      .meta({ examples: ['1234567890123456', 'AW-123456789'] }),
  }),
  answers: { 200: { schema: z.string(), contentType: 'text/html; charset=utf-8', bare: true, example: tag } },
  refusals: ['invalid_state'],
});

const Instructions = z.array(z.string()).min(1).describe('What a person does, step by step.');

export const readGtmInstaller = route({
  id: 'readGtmInstaller',
  method: 'GET',
  path: '/api/v1/tracking/installers/gtm',
  summary: 'A container for Google Tag Manager',
  description:
    'Save `container` as a JSON file and import it in Tag Manager: a tag, its trigger on all pages, and two constants.',
  ...ofSetUp,
  access: install,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          file_name: z.string(),
          container: z.looseObject({ exportFormatVersion: z.literal(2), containerVersion: z.looseObject({}) }),
          instructions: Instructions,
        }),
      ),
    },
  },
  refusals: ['invalid_state'],
});

const StorePixel = z.strictObject({
  script: z.string().describe('JavaScript for a custom pixel.'),
  events: z.array(z.string()).describe('The events of the store that it reports.'),
  instructions: Instructions,
});

const storePixel = {
  reveals: { days: 'any', people: 'none', costs: false },
  method: 'GET',
  description:
    'The script of a Shopify custom pixel. It reports page views, carts and checkouts from inside the store’s sandbox, where the ' +
    'tracker’s own script cannot run.',
  chapter,
  access: install,
  answers: { 200: { schema: data(StorePixel) } },
  refusals: ['invalid_state'],
} as const;

export const readShopifyPixelInstaller = route({
  ...storePixel,
  id: 'readShopifyPixelInstaller',
  path: '/api/v1/tracking/installers/shopify-pixel',
  summary: 'A custom web pixel for a store',
});

export const readStorePixelInstaller = route({
  ...storePixel,
  id: 'readStorePixelInstaller',
  path: '/api/v1/tracking/installers/store-pixel',
  summary: 'A custom web pixel for a store, by its neutral name',
});

export const readTrackingOrigin = route({
  id: 'readTrackingOrigin',
  method: 'GET',
  path: '/api/v1/tracking/origin',
  summary: 'Where the tracker of the profile collects',
  description: 'The first of its own domains that is verified; else the collector’s address.',
  ...ofSetUp,
  access: read,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          kind: z.enum(originKinds),
          origin: z.url(),
          domain_id: Uuid.nullable(),
          script_url: z.url(),
          visits_url: z.url(),
        }),
      ),
    },
  },
});

// ── Custom domains
// ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

const TrackingDomain = z.strictObject({
  id: Uuid,
  domain: z.string(),
  status: z.enum(trackingDomainStatuses),
  verdict: z.string().nullable().describe('What the last look at DNS saw, and what to set; null before the first.'),
  checked_at: IsoTimestamp.nullable(),
  created_at: IsoTimestamp,
  records: z
    .array(z.strictObject({ type: z.enum(domainRecordTypes), name: z.string(), value: z.string() }))
    .describe('Either of them proves the domain. Only the first also leads it here.'),
});

export const listTrackingDomains = route({
  id: 'listTrackingDomains',
  method: 'GET',
  path: '/api/v1/tracking/custom-domains',
  summary: 'The domains of its own that the profile collects on',
  ...ofSetUp,
  access: read,
  answers: { 200: { schema: data(z.array(TrackingDomain)) } },
});

export const createTrackingDomain = route({
  id: 'createTrackingDomain',
  method: 'POST',
  path: '/api/v1/tracking/custom-domains',
  summary: 'Register a domain to collect on',
  description: `Up to ${limits.trackingDomains.most}. It stays \`pending\` until its DNS is checked. One that is registered already is answered as it stands.`,
  chapter,
  audit: { action: 'tracking_domain.created', of: 'tracking_domain:{data.id}', unchanged: 200 },
  access: write,
  body: {
    schema: z.strictObject({
      domain: z
        .string()
        .min(1, 'must not be empty')
        .max(300)
        .describe('A public host name, like track.shop.cl.')
        .meta({ examples: ['track.shop.cl', 'metrics.panadería.com'] }),
    }),
  },
  idempotency: 'natural',
  answers: {
    201: { schema: data(TrackingDomain) },
    200: { schema: data(TrackingDomain), description: 'It was registered already.' },
  },
  refusals: ['invalid_state'],
});

export const deleteTrackingDomain = route({
  id: 'deleteTrackingDomain',
  method: 'DELETE',
  path: '/api/v1/tracking/custom-domains/{id}',
  summary: 'Remove a domain',
  chapter,
  audit: { action: 'tracking_domain.deleted', of: 'tracking_domain:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'tracking_domain' },
  answers: { 200: { schema: data(Deleted) } },
});

export const verifyTrackingDomain = route({
  id: 'verifyTrackingDomain',
  method: 'POST',
  path: '/api/v1/tracking/custom-domains/{id}/verify',
  summary: 'Look at the DNS of a domain now, and keep the verdict',
  description:
    'Verified by a CNAME to the collector, or by a TXT record with the token. Silence of DNS is a verdict like any other; it takes ' +
    'nothing from a domain that was verified before.',
  chapter,
  audit: { action: 'tracking_domain.checked', of: 'tracking_domain:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'tracking_domain' },
  idempotency: 'natural',
  answers: { 200: { schema: data(TrackingDomain) } },
});

// ── Settings ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const Hosts = z.array(z.string());
const HostsInput = z
  .array(z.string().min(1, 'must not be empty').max(300))
  .max(limits.trackingHosts.most, `may hold up to ${limits.trackingHosts.most} hosts`)
  .optional()
  .meta({ examples: [['shop.example', 'www.shop.example']] });

const TrackingSettings = z.strictObject({
  allowed_hosts: Hosts.describe('Hosts whose pages may send visits, their subdomains included. Empty: any.'),
  own_hosts: Hosts.describe('Further hosts of yours: coming from one of them is no referral.'),
  redirect_hosts: Hosts.describe('Hosts that people only pass through, to pay or to sign in, besides the known ones.'),
  is_consent_required: z
    .boolean()
    .describe(
      'Newly copied snippets wait until the page says that the person agrees, and the collector refuses visits that do not carry a yes, from whichever snippet.',
    ),
  is_signed_identify_required: z
    .boolean()
    .describe('Whether `identify` counts only with a signature of your server. Make the secret for it first.'),
  keeps_city: z.boolean().describe('Whether the city is kept beside the country.'),
  daily_visit_quota: z.int().nullable().describe('A limit of your own, below the plan’s. Null: the plan’s.'),
  effective_daily_visit_quota: z.int().describe('Visits a day that are taken: the lower of the plan’s and yours.'),
  updated_at: IsoTimestamp.nullable().describe('Null while all is as it was at the start.'),
});

export const readTrackingSettings = route({
  id: 'readTrackingSettings',
  method: 'GET',
  path: '/api/v1/tracking/settings',
  summary: 'How visits are taken and enriched',
  ...ofSetUp,
  access: read,
  answers: { 200: { schema: data(TrackingSettings) } },
});

export const updateTrackingSettings = route({
  id: 'updateTrackingSettings',
  method: 'PATCH',
  path: '/api/v1/tracking/settings',
  summary: 'Change how visits are taken and enriched',
  description: 'What is left out stays. Hosts may be given as addresses; they are kept as bare, lower-case host names.',
  chapter,
  audit: { action: 'tracking_settings.updated', of: 'profile:{caller.profileId}' },
  access: write,
  body: {
    schema: z.strictObject({
      allowed_hosts: HostsInput,
      own_hosts: HostsInput,
      redirect_hosts: HostsInput,
      is_consent_required: z.boolean().optional(),
      is_signed_identify_required: z.boolean().optional(),
      keeps_city: z.boolean().optional(),
      daily_visit_quota: z.int().min(1).max(2_000_000_000).nullable().optional(),
    }),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(TrackingSettings) } },
});
