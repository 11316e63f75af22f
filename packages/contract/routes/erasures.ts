import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CountryCode,
  customerKey,
  data,
  IsoTimestamp,
  limitParameter,
  page,
  Uuid,
  workspaceData,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { ErasureReason, ErasureStatus, IdentifierType } from '../vocabulary.ts';

const { maxCharacters } = limits.requestRef;

const ErasureReceipt = z
  .strictObject({
    erasure_id: Uuid,
    request_ref: z.string().describe('Your own name for the request.'),
    status: ErasureStatus.describe(
      '`queued` while the last stores are being cleared; nobody finds the customer any more.',
    ),
    customer_key: customerKey(
      'The key that was sent, or the customer’s where it was named otherwise; null if it had none.',
    ),
    reason: ErasureReason,
    requested_at: IsoTimestamp,
    completed_at: IsoTimestamp.nullable().describe('Null while queued.'),
  })
  .meta({ id: 'ErasureReceipt', description: 'Says that a customer was erased, and never our id of them.' });

const selector = (description: string, ...examples: string[]) =>
  z.string().max(500).optional().describe(description).meta({ examples });

const ErasureRequest = z.strictObject({
  request_ref: z
    .string()
    .min(1)
    .max(maxCharacters, `may have up to ${maxCharacters} characters`)
    .regex(/^[A-Za-z0-9._:-]*$/, 'may hold letters, digits and . _ : - only')
    .describe(
      'Your name for this request, unique in the profile: the same one again answers with the first receipt. It is kept, so it must never ' +
        'hold personal data.',
    )
    .meta({ examples: ['ticket-2026-0042', 'dsr:8812'] }),
  customer_key: selector('Your own id of the customer.', 'customer-8812'),
  email: selector('Exact, in any capitals.', 'ana.soto@example.cl'),
  phone: selector('Exact, after it was normalised to E.164.', '+56 9 1234 5678'),
  identifier_type: IdentifierType.optional(),
  identifier_value: selector('What the customer is known by under that type.', 'contact-17'),
  reason: ErasureReason.default('data_subject_request'),
  country: CountryCode.default('CL')
    .describe('Where a phone without a country code belongs.')
    .meta({ examples: ['CL', 'AR'] }),
});

const description =
  'Name exactly one of customer_key, email, phone, and identifier_type with identifier_value. Name, e-mail, phone, every identifier and ' +
  'the personal fields of raw events go; conversions, touches and attribution stay without a person, so that reports do not change. ' +
  'Every key that the customer held is recorded as erased and never binds again. What was already delivered to ad platforms is out of ' +
  'reach. An erasure cannot be undone.';

const now = 'Erased.';
const before = 'It was erased before: the receipt of then.';

export const createErasure = route({
  id: 'createErasure',
  method: 'POST',
  path: '/api/v1/customers/erasures',
  summary: 'Erase a customer',
  description,
  chapter: 'Customers',
  audit: { action: 'customer.erased', of: 'erasure:{data.erasure_id}', unchanged: 200 },
  access: {
    credentials: ['api_key'],
    scopes: anyOf('attribution:write'),
    grain: 'person',
    entitlement: 'not needed',
    otherwise: 'api_key_required',
  },
  body: { schema: ErasureRequest },
  refusedAs: { '*': 'invalid_parameter' },
  idempotency: 'natural',
  answers: {
    202: { schema: data(ErasureReceipt), description: now },
    200: { schema: data(ErasureReceipt), description: before },
  },
  refusals: ['customer_not_found', 'invalid_parameter'],
});

export const readErasure = route({
  id: 'readErasure',
  method: 'GET',
  path: '/api/v1/customers/erasures/{erasure_id}',
  summary: 'The receipt of an erasure',
  reveals: { days: 'any', people: 'keys', costs: false },
  chapter: 'Customers',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('attribution:write', 'conversions:read'),
    grain: 'profile',
  },
  params: z.object({ erasure_id: Uuid }),
  refusedAs: { erasure_id: 'erasure_not_found' },
  ids: { erasure_id: 'erasure' },
  answers: { 200: { schema: data(ErasureReceipt) } },
  refusals: ['erasure_not_found'],
});

export const listErasures = route({
  id: 'listErasures',
  method: 'GET',
  path: '/api/v1/customers/erasures',
  summary: 'The receipts of erasures',
  description: 'Newest first, page by page. Receipts are kept for good.',
  reveals: { days: 'any', people: 'keys', costs: false },
  chapter: 'Customers',
  access: readErasure.access,
  query: z.object({
    limit: limitParameter(limits.erasures.pageSize),
    cursor: Uuid.optional().describe('From the page before.'),
  }),
  answers: { 200: { schema: page(ErasureReceipt) } },
});

export const createCustomerErasure = route({
  id: 'createCustomerErasure',
  method: 'POST',
  path: '/api/v1/workspaces/{workspaceId}/customer-erasures',
  summary: 'Erase a customer, as a person',
  description: `For an owner or admin of the workspace, who says in which profile. ${description}`,
  chapter: 'Customers',
  audit: { action: 'customer.erased', of: 'erasure:{data.erasure_id}', unchanged: 200 },
  access: { credentials: ['session'], roles: ['owner', 'admin'], grain: 'workspace' },
  params: z.object({ workspaceId: Uuid }),
  ids: { workspaceId: 'workspace', profile_id: 'profile' },
  body: { schema: ErasureRequest.extend({ profile_id: Uuid }) },
  refusedAs: { workspaceId: 'not_found', '*': 'invalid_parameter' },
  idempotency: 'natural',
  answers: {
    202: { schema: workspaceData(ErasureReceipt), description: now },
    200: { schema: workspaceData(ErasureReceipt), description: before },
  },
  refusals: ['customer_not_found', 'invalid_parameter'],
});
