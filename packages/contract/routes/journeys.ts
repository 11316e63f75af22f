import { journeyEventKinds, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CurrencyCode, customerKey, data, IsoTimestamp, limitParameter, offsetParameter, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { AttributionModel, IdentifierKind, RevenueType } from '../vocabulary.ts';

const chapter = 'Journeys';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const person = { credentials, scopes: anyOf('customers:read'), grain: 'person' } as const;
/** Callers that may not see customers get the same journey without personal data. */
const personOrNot = { credentials, scopes: anyOf('conversions:read', 'customers:read'), grain: 'person' } as const;

const { pageSize, maxOffset } = limits.journey;
const paging = { offset: offsetParameter(maxOffset), limit: limitParameter(pageSize) };
const Count = z.int().min(0);
const Text = z.string().nullable();

const JourneyEvent = z
  .strictObject({
    event_type: z
      .string()
      .describe(
        '`page_view`, `track` or `identify` for what a browser told; `ad_referral` or `declared_source` for what else brought somebody; else the type of the outcome, like `payment_received`.',
      ),
    event_name: z.string(),
    event_time: IsoTimestamp,
    url: Text.describe('The full address of the page, with what could be personal masked. Web events only.'),
    path: Text,
    channel: Text.describe('The marketing channel; null where none is known.'),
    source: Text.describe('Where the traffic came from, or who reported the payment.'),
    medium: Text,
    campaign: Text.describe('The name of the campaign, by what the platform calls it.'),
    value_amount: z.number().nullable().describe('As it was said, in `currency`.'),
    currency: CurrencyCode.nullable(),
    device: Text,
    browser: Text,
    os: Text,
    country: Text.describe('ISO 3166-1 alpha-2.'),
    city: Text,
    is_synthetic: z
      .boolean()
      .describe(
        'True for an off-site conversion without a website visit in its lookback. Where it names its ad, it stands for the touch that brought it.',
      ),
  })
  .meta({ id: 'JourneyEvent' });

const Journey = z.strictObject({
  events: z.array(JourneyEvent).describe('In the order of time.'),
  total_count: Count.describe('Of the whole journey, not of the page.'),
});

const Person = z
  .strictObject({
    customer_profile_id: Uuid.nullable().describe('Null while nobody is known.'),
    name: Text,
    identifiers: z
      .array(z.strictObject({ kind: IdentifierKind, value: z.string() }))
      .describe(`What the customer is known by, the first ${limits.personIdentifiers.most} that were said.`),
    counts: z.strictObject({
      events: Count.describe('Of the journey.'),
      conversions: Count.describe('Outcomes that a definition lists, over all time.'),
      browsers: Count.describe('That are known to be theirs.'),
    }),
    conversions: z
      .array(
        z.strictObject({
          conversion_id: Uuid,
          conversion_type: z.string(),
          event_name: z.string(),
          occurred_at: IsoTimestamp,
          value_amount: z.number().nullable(),
          currency: CurrencyCode.nullable(),
          revenue_type: RevenueType,
        }),
      )
      .max(limits.personConversions.newest)
      .describe(`The newest ${limits.personConversions.newest}, newest first.`),
  })
  .meta({ id: 'JourneyPerson' });

const JourneyTouch = z
  .strictObject({
    occurred_at: IsoTimestamp,
    kind: z
      .enum(journeyEventKinds)
      .describe(
        'What brought somebody; `conversion` for what it led to; `synthetic` for a conversion that names its ad and had no website visit, and so stands for both.',
      ),
    channel: Text,
    campaign_external_id: Text.describe('As the platform calls it; so are the next two.'),
    ad_set_external_id: Text,
    ad_external_id: Text,
    campaign_name: Text.describe('As the platform names it; null while it told none. So are the next two.'),
    ad_set_name: Text,
    ad_name: Text,
    click_id_kind: Text.describe('Like `gclid`. The click id itself is never shown.'),
    join_method: Text.describe('How the campaign is known, like `url_parameters`.'),
    credit: z
      .partialRecord(AttributionModel, z.number().min(0).max(1))
      .describe(
        'The share in the conversion of `meta.conversion`, by model. Empty while it is not worked out, and for conversions that name no ad.',
      ),
    in_window: z.boolean().describe('Whether it falls into the lookback of that conversion.'),
  })
  .meta({ id: 'JourneyTouch' });

const ProjectedJourney = z.strictObject({
  events: z.array(JourneyTouch).describe('Touches and conversions, in the order of time.'),
  total_count: Count,
});

const ProjectedMeta = {
  conversion: z.strictObject({
    conversion_id: Uuid.nullable().describe(
      'The conversion that was asked for; of a person the newest one. Null: there is none.',
    ),
    customer_key: customerKey('Your own key of the customer, where you sent one.'),
  }),
};

const journeyOrProjection = z.union([data(Journey, { person: Person }), data(ProjectedJourney, ProjectedMeta)]);
const withOrWithout =
  'With `customers:read` the rows are those of the customer’s journey, and `meta.person` says who it is. Without it they are a ' +
  'projection: touches and conversions with what they were credited, and nothing of the person, page, device, place or session.';

const CustomerOrVisitor = Uuid.describe(
  'A customer, or the visitor that the customer list names where nobody is known. Who was merged is found under the survivor.',
);

export const readCustomerJourney = route({
  id: 'readCustomerJourney',
  method: 'GET',
  path: '/api/v1/customers/{id}/journey',
  summary: 'One customer’s timeline',
  description:
    'Everything that is known to have happened, the earliest first. For an id that this profile does not know: no events.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: person,
  params: z.object({ id: CustomerOrVisitor }),
  query: z.object(paging),
  ids: { id: 'customer' },
  answers: { 200: { schema: data(Journey) } },
});

/** Exactly one selector is required. */
const selectors = ['customer_key', 'email', 'phone'] as const;

export const readJourneyByKey = route({
  id: 'readJourneyByKey',
  method: 'GET',
  path: '/api/v1/customers/journey',
  summary: 'One person’s whole timeline, by your own key',
  description: `Named by the \`external_id\` that you sent on events, or with \`customers:read\` by e-mail address or phone number. ${withOrWithout}`,
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: personOrNot,
  query: z
    .object({
      customer_key: z.string().min(1).max(500).optional().describe('The `user_traits.external_id` of your events.'),
      email: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('Needs `customers:read`.')
        .meta({ examples: ['ana.soto@example.cl'] }),
      phone: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('Needs `customers:read`. With its country code, or as it is dialled in Chile.')
        .meta({ examples: ['+56912345678'] }),
      ...paging,
    })
    .refine((query) => selectors.filter((name) => query[name] !== undefined).length === 1, {
      path: ['customer_key'],
      message: `must be given, or one of ${selectors.slice(1).join(', ')} in its place: exactly one of them`,
    }),
  ids: { customer_key: 'customer_key' },
  answers: { 200: { schema: journeyOrProjection } },
  refusals: ['customer_not_found'],
});

export const readConversionJourney = route({
  id: 'readConversionJourney',
  method: 'GET',
  path: '/api/v1/conversions/{id}/journey',
  summary: 'The timeline behind one conversion',
  description: `What came before it and the conversion itself. ${withOrWithout}`,
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: personOrNot,
  params: z.object({
    id: z
      .string()
      .min(1)
      .max(200)
      .describe('An `outcome_event_id`, a `conversion_id`, or your own `idempotency_key` of the event.'),
  }),
  query: z.object({
    ...paging,
    view: z
      .enum(['projection'])
      .optional()
      .describe('Asks for the rows with credit also where `customers:read` is held.'),
  }),
  ids: { id: 'conversion' },
  answers: { 200: { schema: journeyOrProjection } },
  refusals: ['conversion_not_found'],
});

const JourneySummary = z
  .strictObject({
    summary: Text.describe('Null: none was made.'),
    cached: z.boolean().describe('Whether it was stored before; false where there is none.'),
    model: Text.describe('Which model wrote it.'),
    generated_at: IsoTimestamp.nullable(),
    events_used: Count,
    truncated: z
      .boolean()
      .describe(`Whether the journey has more events than the ${limits.journeySummary.maxEvents} used.`),
  })
  .meta({ id: 'JourneySummary' });

export const readJourneySummary = route({
  id: 'readJourneySummary',
  method: 'GET',
  path: '/api/v1/customers/{id}/journey-summary',
  summary: 'The stored summary of a journey',
  description: 'No model is asked. A null summary means that none was generated.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: person,
  params: z.object({ id: CustomerOrVisitor }),
  ids: { id: 'customer' },
  answers: { 200: { schema: data(JourneySummary) } },
});

export const createJourneySummary = route({
  id: 'createJourneySummary',
  method: 'POST',
  path: '/api/v1/customers/{id}/journey-summary',
  summary: 'Have a journey summarised',
  description:
    `A model writes it from the first ${limits.journeySummary.maxEvents} events, without name, e-mail address, phone number or any other identifier. It takes the ` +
    'place of an earlier one and draws one unit of the workspace’s daily allowance; with the allowance spent, the answer is 429 ' +
    'until the next UTC midnight. A journey without events gives a null summary and costs nothing. 503 where no model is set up. ',
  chapter,
  audit: 'not needed: a summary changes nothing, and whose journey was read is in the log of reads',
  access: { ...person, healthcare: 'refused' },
  idempotency: 'accepted',
  params: z.object({ id: CustomerOrVisitor }),
  ids: { id: 'customer' },
  answers: { 200: { schema: data(JourneySummary) } },
});
