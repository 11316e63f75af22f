import { markLinked } from '@tributary/domain/conversions';
import { CustomerBook, openCustomers, saveCustomers } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import {
  decideBrowserIdentity,
  type Identifier,
  identifierKey,
  normaliseEmail,
  normaliseKey,
  normalisePhone,
  type Traits,
} from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';
import { findLinks, insertLinks, type VisitorLink } from './store.ts';

/** What a visit says of who its browser is. */
interface Claim {
  readonly profileId: string;
  readonly visitorId: string;
  readonly visitId: string;
  readonly at: Date;
  readonly identifiers: readonly Identifier[];
  readonly linkToken: string | undefined;
}

/**
 * Step 5. Whose browser it is. A browser's word is worth little, because its key is public: it links its own visitor, if that is
 * nobody's yet, to one customer, and never merges customers, adds an identifier to one or changes a name. A link token was
 * made by us, and counts before what the browser says.
 */
export async function identifyVisitors(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<void> {
  const claims = visits
    .flatMap(claimOf)
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.visitId < b.visitId ? -1 : 1));
  await eachProfile(claims, (profileId, theirs) => settleClaims(ingestion, profileId, theirs));
}

function claimOf({ profile, arrival, visitorId, visit, secret }: PlacedVisit): Claim[] {
  if (arrival.user_agent.is_bot) return [];
  const identifiers = visit.type === 'identify' ? readTraits(secret.traits ?? {}) : [];
  const linkToken = secret.link_token;
  if (identifiers.length === 0 && linkToken === undefined) return [];
  return [{ profileId: profile.id, visitorId, visitId: visit.id, at: new Date(visit.at), identifiers, linkToken }];
}

/** One that cannot be read says nothing. Names are left out: they tell nobody apart, and a stranger may have typed them. */
function readTraits({ external_id, email, phone }: Traits): Identifier[] {
  const read: { kind: Identifier['kind']; value: string | undefined }[] = [
    { kind: 'external_customer_id', value: external_id && normaliseKey(external_id) },
    { kind: 'email', value: email && normaliseEmail(email) },
    { kind: 'phone', value: phone && normalisePhone(phone, 'CL') },
  ];
  return read.flatMap(({ kind, value }) => (value ? [{ kind, value }] : []));
}

async function settleClaims(ingestion: Ingestion, profileId: string, claims: readonly Claim[]): Promise<void> {
  const { postgres, resolveLinkToken, now } = ingestion;
  // Before the transaction: it may ask elsewhere.
  const byToken = new Map<string, string>();
  for (const { visitorId, linkToken, at } of claims) {
    const customerId = linkToken && !byToken.has(visitorId) && (await resolveLinkToken(profileId, linkToken, at));
    if (customerId) byToken.set(visitorId, customerId);
  }
  await postgres.forProfile(profileId).transaction(async (tx) => {
    const linked = await findLinks(tx, profileId, [...new Set(claims.map(({ visitorId }) => visitorId))]);
    const open = claims.filter(({ visitorId }) => !linked.has(visitorId));
    if (open.length === 0) return;
    const fresh = await decide(tx, profileId, open, byToken, now());
    await markLinked(tx, profileId, await insertLinks(tx, profileId, fresh));
  });
}

/** The earliest word of each browser that says anything. */
async function decide(
  tx: Tx,
  profileId: string,
  claims: readonly Claim[],
  byToken: ReadonlyMap<string, string>,
  now: Date,
): Promise<VisitorLink[]> {
  const links = new Map<string, VisitorLink>();
  for (const { visitorId, at } of claims) {
    const customerId = byToken.get(visitorId);
    if (customerId && !links.has(visitorId))
      links.set(visitorId, { visitorId, customerId, source: 'link_token', linkedAt: at });
  }
  const words = claims.filter(({ visitorId, identifiers }) => identifiers.length > 0 && !links.has(visitorId));
  const [first] = words;
  if (!first) return [...links.values()];
  const known = await openCustomers(
    tx,
    profileId,
    words.flatMap(({ identifiers }) => identifiers),
  );
  const evidence = { source: 'browser', saidAt: now, requestId: first.visitId };
  const book = new CustomerBook(known, evidence, uuid);
  const holders = new Map(known.customers.map((customer) => [customer.id, customer]));
  const holderIds = new Map(known.bindings.map((binding) => [identifierKey(binding), binding.customerId]));
  const newcomers = new Map<string, string>();
  for (const { visitorId, identifiers, at } of words) {
    if (links.has(visitorId)) continue;
    const { customerId, linked } = decideBrowserIdentity(identifiers, (identifier) =>
      holders.get(holderIds.get(identifierKey(identifier)) ?? ''),
    );
    const name = linked.map(identifierKey).join();
    const somebody = customerId ?? newcomers.get(name) ?? book.take({ identifiers: linked }).customerId;
    if (!customerId) newcomers.set(name, somebody);
    links.set(visitorId, { visitorId, customerId: somebody, source: 'identify', linkedAt: at });
  }
  await saveCustomers(tx, profileId, book.changes(), evidence);
  return [...links.values()];
}
