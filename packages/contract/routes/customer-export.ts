import { eventStores, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, limitParameter, offsetParameter, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { IdentifierKind } from '../vocabulary.ts';

const { pageSize } = limits.customerExport;
const Count = z.int().min(0);
const Text = z.string().nullable();

const HeldCustomer = z.strictObject({
  customer_profile_id: Uuid,
  merged_into: Uuid.nullable(),
  first_name: Text,
  last_name: Text,
  primary_email: Text,
  primary_phone: Text,
  sources: z.array(z.string()),
  first_seen_at: IsoTimestamp,
  last_seen_at: IsoTimestamp,
  created_at: IsoTimestamp,
  own: z
    .strictObject({ first_name: z.string().nullable(), last_name: z.string().nullable(), first_seen_at: z.string() })
    .nullable()
    .describe('What was said of this one itself, where it is one of several who are one person.'),
});

const HeldIdentifier = z.strictObject({
  kind: IdentifierKind,
  value: z.string(),
  source: z.string().describe('What said that it is theirs.'),
  said_at: IsoTimestamp,
});

const HeldBrowser = z.strictObject({
  visitor_id: Uuid,
  source: z.string(),
  is_signed: z.boolean().describe('Whether your server signed who it was.'),
  linked_at: IsoTimestamp,
});

const HeldRecord = z
  .object({
    store: z.enum(eventStores),
    occurred_at: IsoTimestamp,
  })
  .catchall(z.unknown())
  .describe('Every field that is held, under its own name.');

/** Pages all lists in parallel: they differ in length, and any of them may be long. */
export const readCustomerExport = route({
  id: 'readCustomerExport',
  method: 'GET',
  path: '/api/v1/customers/{id}/export',
  summary: 'All that is held of one person',
  description:
    'For a request of access by the person concerned. Every list holds its entries from `offset` on, up to `limit` of them; ask on ' +
    'with a larger offset while `has_next` is true.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter: 'Customers',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('customers:read'),
    grain: 'person',
  },
  params: z.object({ id: Uuid.describe('A customer, or a visitor that nobody is known of.') }),
  query: z.object({
    offset: offsetParameter(limits.journey.maxOffset),
    limit: limitParameter(pageSize),
  }),
  ids: { id: 'customer' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          customers: z.array(HeldCustomer).describe('The customer, and those who turned out to be the same person.'),
          identifiers: z.array(HeldIdentifier),
          disputed_identifiers: z
            .array(HeldIdentifier)
            .describe('That were said of this person and belong to another: the values are that other’s too.'),
          browsers: z.array(HeldBrowser),
          records: z.array(HeldRecord).describe('Visits, touches and outcomes, in the order of time.'),
          journey_summary: Text.describe('What a model wrote; with the first page.'),
          totals: z.strictObject({
            customers: Count,
            identifiers: Count,
            disputed_identifiers: Count,
            browsers: Count,
            records: Count,
          }),
          has_next: z.boolean(),
        }),
      ),
    },
  },
  refusals: ['customer_not_found'],
});
