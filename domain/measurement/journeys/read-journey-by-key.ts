import type { Input, Routes } from '@tributary/contract';
import { readPhone } from '@tributary/domain/commerce/customers';
import { findOutcome, listNewestConversions } from '@tributary/domain/commerce/outcomes';
import { type Handles, refuse } from '@tributary/operations';
import { type Identifier, normaliseEmail, normaliseKey } from '@tributary/rules';
import { findPersonBy } from './person.ts';
import { readWholeOrProjected } from './read-whole-or-projected.ts';
import type { JourneyServices } from './services.ts';
import { always } from './timeline.ts';

export const readJourneyByKey: Handles<Routes['readJourneyByKey'], Pick<JourneyServices, 'clickhouse'>> = async (
  { query },
  context,
) => {
  const { ledger, caller } = context;
  const profileId = caller.profileId;
  if (query.customer_key === undefined && !caller.scopes.has('customers:read')) {
    refuse('insufficient_scope', 'To name somebody by e-mail address or phone number needs the scope customers:read.', {
      fields: { required_scopes: ['customers:read'] },
    });
  }
  const identifier = identifierOf(profileId, query);
  const found = await ledger.transaction(
    async (tx) => {
      const person = await findPersonBy(tx, profileId, identifier);
      if (!person) return undefined;
      const [newest] = await listNewestConversions(tx, profileId, person.owner, 1);
      return { person, outcome: newest && (await findOutcome(tx, profileId, newest.id)) };
    },
    { readOnly: true },
  );
  if (!found) refuse('customer_not_found', 'Nobody in this profile is known by that.');
  const { offset, limit } = query;
  return readWholeOrProjected(
    context,
    { profileId, person: found.person, until: always, offset, limit },
    found.outcome,
    identifier.kind === 'external_customer_id' ? identifier.value : undefined,
  );
};

function identifierOf(
  profileId: string,
  { customer_key, email, phone }: Input<Routes['readJourneyByKey']>['query'],
): Identifier {
  const [field, kind, value] =
    email !== undefined
      ? (['email', 'email', normaliseEmail(email)] as const)
      : phone !== undefined
        ? (['phone', 'phone', readPhone(profileId, phone)] as const)
        : (['customer_key', 'external_customer_id', normaliseKey(customer_key ?? '')] as const);
  if (value === undefined)
    refuse('invalid_parameter', `The query parameter "${field}" cannot be read.`, { fields: { field } });
  return { kind, value };
}
