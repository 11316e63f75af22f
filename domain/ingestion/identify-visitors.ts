import { markLinked } from '@tributary/domain/conversions';
import { CustomerBook, lockSurvivors, openCustomers, saveCustomers } from '@tributary/domain/customers';
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
  /** Whom a link token named when it was minted. */
  readonly tokenOf: string | undefined;
}

/**
 * Step 5. Whose browser it is. A browser's word is worth little, because its key is public: it links its own visitor, if that is
 * nobody's yet, to one customer, and never merges customers, adds an identifier to one or changes a name. A link token was
 * made by us, and counts before what the browser says.
 */
export async function identifyVisitors(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<void> {
  const claims = visits
    .flatMap((placed) => claimOf(ingestion, placed))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.visitId < b.visitId ? -1 : 1));
  await eachProfile(claims, (profileId, theirs) => settleClaims(ingestion, profileId, theirs));
}

function claimOf(
  { readLinkToken }: Pick<Ingestion, 'readLinkToken'>,
  { profile, arrival, visitorId, visit, secret }: PlacedVisit,
): Claim[] {
  if (arrival.user_agent.is_bot) return [];
  const at = new Date(visit.at);
  const identifiers = visit.type === 'identify' ? readTraits(secret.traits ?? {}) : [];
  const tokenOf = secret.link_token && readLinkToken(profile.id, secret.link_token, at);
  if (identifiers.length === 0 && !tokenOf) return [];
  return [{ profileId: profile.id, visitorId, visitId: visit.id, at, identifiers, tokenOf: tokenOf || undefined }];
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

async function settleClaims(
  { postgres, now }: Pick<Ingestion, 'postgres' | 'now'>,
  profileId: string,
  claims: readonly Claim[],
): Promise<void> {
  await postgres.forProfile(profileId).transaction(async (tx) => {
    const linked = await findLinks(tx, profileId, [...new Set(claims.map(({ visitorId }) => visitorId))]);
    const open = claims.filter(({ visitorId }) => !linked.has(visitorId));
    if (open.length === 0) return;
    const fresh = await decide(tx, profileId, open, now());
    await markLinked(tx, profileId, await insertLinks(tx, profileId, fresh));
  });
}

/** The earliest word of each browser that says anything, and before it a token. */
async function decide(tx: Tx, profileId: string, claims: readonly Claim[], now: Date): Promise<VisitorLink[]> {
  // Identifiers before customers, as every writer locks.
  const known = await openCustomers(
    tx,
    profileId,
    claims.flatMap(({ identifiers }) => identifiers),
  );
  const links = await linksByToken(tx, profileId, claims);
  const words = claims.filter(({ visitorId, identifiers }) => identifiers.length > 0 && !links.has(visitorId));
  const [first] = words;
  if (!first) return [...links.values()];
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

/** A customer may have been merged since the token was minted, or be gone: then the token says nothing. */
async function linksByToken(tx: Tx, profileId: string, claims: readonly Claim[]): Promise<Map<string, VisitorLink>> {
  const survivors = await lockSurvivors(
    tx,
    profileId,
    claims.flatMap(({ tokenOf }) => (tokenOf ? [tokenOf] : [])),
  );
  const links = new Map<string, VisitorLink>();
  for (const { visitorId, tokenOf, at } of claims) {
    const customerId = tokenOf && survivors.get(tokenOf);
    if (customerId && !links.has(visitorId))
      links.set(visitorId, { visitorId, customerId, source: 'link_token', linkedAt: at });
  }
  return links;
}
