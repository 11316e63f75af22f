import type { AnswerOf, Routes } from '@tributary/contract';
import type { CustomerServices } from '@tributary/domain/commerce/customers';
import { answer, type Handles, refuse } from '@tributary/operations';
import { isCountry } from '@tributary/rules';
import type { MasterKey } from '@tributary/vault';
import { dayMs, linkTokenParameter } from '@tributary/vocabulary';
import { getSentKey, type LinkTokenRow, type ReadRow, readRow } from './read-row.ts';
import { recipes } from './recipes.ts';
import { type FoundCustomer, findErased, findNamed } from './store.ts';
import { sealLinkToken } from './token.ts';

export interface LinkTokenServices extends CustomerServices {
  /** Newest first. Empty if link tokens are disabled. */
  readonly linkTokenKeys: () => readonly MasterKey[];
}

type Result = AnswerOf<Routes['createLinkTokens']>['body']['data']['results'][number];

export const createLinkTokens: Handles<Routes['createLinkTokens'], LinkTokenServices> = async (
  { body },
  { ledger, linkTokenKeys, tombstones, caller, mentions, showKey, now },
) => {
  const [key] = linkTokenKeys();
  if (!key) refuse('link_tokens_disabled', 'This deployment has no secret for link tokens, so none can be made.');
  const { country } = body;
  if (!isCountry(country)) {
    refuse('validation_error', 'The field "country" is not a country whose phone numbers are known.', {
      fields: { field: 'country' },
    });
  }
  const profileId = caller.profileId;
  const parsedRows = body.customers.map((row) => readRow(row, country));
  const { found, erased } = await ledger.transaction(
    async (tx) => {
      const found = await findNamed(tx, profileId, parsedRows);
      const missing = parsedRows.filter((_, index) => found[index] === undefined);
      return { found, erased: await findErased(tx, profileId, missing, tombstones) };
    },
    { readOnly: true },
  );
  for (const customer of found) if (customer) mentions(customer.id);

  const expiresAt = new Date(now.getTime() + body.expires_in_days * dayMs);
  const toMinted = (customer: FoundCustomer, row: LinkTokenRow): Omit<Result, 'index'> => ({
    status: 'minted',
    customer_key: showKey({ of: customer.id, profileId, key: customer.key, said: getSentKey(row) }),
    ...(caller.scopes.has('customers:read') && { customer_profile_id: customer.id }),
    token: sealLinkToken(key, profileId, { customerId: customer.id, expiresAt }),
    expires_at: expiresAt.toISOString(),
  });
  const results = body.customers.map((row, index): Result => {
    const customer = found[index];
    const parsed = parsedRows[index] as ReadRow;
    return { index, ...(customer ? toMinted(customer, row) : toNotMinted(row, parsed, erased.has(parsed))) };
  });
  const counts = { minted: 0, not_found: 0, invalid: 0 };
  for (const { status } of results) counts[status] += 1;
  return answer(200, { data: { param: linkTokenParameter, ...counts, results, recipes: [...recipes] } });
};

const messages: Record<NonNullable<Result['reason']>, string> = {
  no_match: 'Nobody in this profile carries this selector. Nothing was created.',
  erased: 'This customer was erased.',
  no_selector: 'The row names no customer. Send customer_profile_id, customer_key, email, phone or an identifier.',
  unknown_identifier_type: 'The identifier_type is none of those that are known.',
  malformed_selector: 'The selector cannot be read. Others in the row are not tried in its place.',
};

function toNotMinted(row: LinkTokenRow, parsed: ReadRow, isErased: boolean): Omit<Result, 'index'> {
  const reason = 'invalid' in parsed ? parsed.invalid : isErased ? 'erased' : 'no_match';
  const status = 'invalid' in parsed ? 'invalid' : 'not_found';
  return { status, customer_key: getSentKey(row), reason, message: row.fault?.message ?? messages[reason] };
}
