import {
  type InvalidSelector,
  limits,
  linkTokenChannels,
  linkTokenParameter,
  linkTokenRefusals,
  linkTokenStatuses,
} from '@tributary/vocabulary';
import { z } from 'zod';
import { ItemFault } from '../item-fault.ts';
import { CountryCodeInput, customerKey, data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { IdentifierType } from '../vocabulary.ts';

const { maxRows, lifetimeDays } = limits.linkTokens;

/**
 * A value that is not text becomes an empty selector that matches no customer: the row's result reports it, and the other rows
 * succeed.
 */
const selector = (description: string, ...examples: string[]) =>
  z
    .string()
    .max(500)
    .nullish()
    .catch('')
    .describe(description)
    .meta(examples.length > 0 ? { examples } : {});

const LinkTokenRow = z
  .strictObject({
    customer_profile_id: selector('Our id of the customer.'),
    customer_key: selector('Your own id: the `user_traits.external_id` of your events.', 'customer-8812'),
    email: selector('In any capitals.', 'ana.soto@example.cl'),
    phone: selector('Without a country code it is read as a number of `country`.', '+56 9 1234 5678', '912345678'),
    identifier_type: selector(`One of ${IdentifierType.options.join(', ')}.`, ...IdentifierType.options),
    identifier_value: selector('What the customer is known by under that type.', 'contact-17', '12.345.678-5'),
  })
  .meta({
    id: 'LinkTokenRow',
    description:
      'Names one customer. Of several selectors the first in this order counts; one that is there and cannot be read makes the row ' +
      'invalid, whatever the others say.',
  });

/** A row, or the fault of a row with an unknown field. Other malformed rows match no customer. */
type JudgedLinkTokenRow = z.output<typeof LinkTokenRow> & {
  readonly fault?: { readonly reason: InvalidSelector; readonly message: string };
};

// An invalid row does not reject the others. JSON Schema generation calls this without an issue, and gets a value without a
// fault.
const JudgedRow = LinkTokenRow.transform((row): JudgedLinkTokenRow => row).catch((refused): JudgedLinkTokenRow => {
  if (refused?.input instanceof ItemFault)
    return { fault: { reason: 'malformed_selector', message: `The row ${refused.input.message}.` } };
  const unknown = refused?.error.issues.find(({ code }) => code === 'unrecognized_keys');
  if (!unknown) return {};
  const isNamed = Object.keys(refused.input as object).some((field) => field in LinkTokenRow.shape);
  return { fault: { reason: isNamed ? 'malformed_selector' : 'no_selector', message: unknown.message } };
});

const LinkTokenResult = z
  .strictObject({
    index: z.int().min(0).describe('The position of the row in the request.'),
    status: z.enum(linkTokenStatuses),
    customer_key: customerKey(
      'Of a minted row the key that the customer holds, after a merge the survivor’s; else the key that was sent.',
    ),
    customer_profile_id: Uuid.optional().describe('On minted rows, for a key that holds `customers:read`.'),
    token: z.string().optional().describe('On minted rows. Opaque: it says nothing of the person.'),
    expires_at: IsoTimestamp.optional().describe('On minted rows.'),
    reason: z.enum(linkTokenRefusals).optional().describe('On rows without a token.'),
    message: z.string().optional().describe('The reason in words.'),
  })
  .meta({ id: 'LinkTokenResult' });

const LinkTokenRecipe = z
  .strictObject({
    channel: z.enum(linkTokenChannels),
    store_token_in: z.string().describe('Where the token is kept until the message is sent.'),
    link_template: z
      .string()
      .describe('The link as it is written in the message; the merge tag stands for the token.')
      .meta({ examples: [`https://shop.example/offer?${linkTokenParameter}={{contact.${linkTokenParameter}}}`] }),
    merge_tag: z.string().describe('What the sending tool replaces by the token. The notation is that of your tool.'),
    requires: z.string(),
  })
  .meta({ id: 'LinkTokenRecipe' });

const Count = z.int().min(0);

export const createLinkTokens = route({
  id: 'createLinkTokens',
  method: 'POST',
  path: '/api/v1/customers/link-tokens',
  summary: 'Mint tokens that bind a browser to a known customer',
  description:
    `One token for each customer named, to be put into a link of a message as \`${linkTokenParameter}\`. Whoever opens the link is that customer ` +
    'from then on, and so is what the same browser did before. Nobody is created, and a browser that is linked to somebody else stays ' +
    'theirs. A row without a token is no error of the request.',
  chapter: 'Customers',
  audit: 'not needed: a token only says again what is known of a customer',
  access: { credentials: ['api_key', 'app', 'session', 'mcp'], scopes: anyOf('attribution:write'), grain: 'profile' },
  body: {
    items: 'customers',
    schema: z.strictObject({
      customers: z
        .array(JudgedRow)
        .min(1, `must hold 1 to ${maxRows} rows`)
        .max(maxRows, `must hold 1 to ${maxRows} rows`),
      expires_in_days: z
        .int()
        .min(lifetimeDays.min, `must be from ${lifetimeDays.min} to ${lifetimeDays.max}`)
        .max(lifetimeDays.max, `must be from ${lifetimeDays.min} to ${lifetimeDays.max}`)
        .default(lifetimeDays.default),
      country: CountryCodeInput.default('CL')
        .describe('Where phones without a country code and national ids belong.')
        .meta({ examples: ['CL', 'AR'] }),
    }),
    maxBytes: 2 * 1024 * 1024,
  },
  idempotency: 'accepted',
  ids: { 'customers.customer_profile_id': 'customer' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          param: z.literal(linkTokenParameter).describe('The parameter of the link that the token goes into.'),
          minted: Count,
          not_found: Count,
          invalid: Count,
          results: z.array(LinkTokenResult).describe('One for each row, in the order of the request.'),
          recipes: z.array(LinkTokenRecipe).describe('How the token gets into a message, channel by channel.'),
        }),
      ),
    },
  },
  refusals: ['link_tokens_disabled'],
});
