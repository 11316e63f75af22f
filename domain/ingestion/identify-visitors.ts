import {
  CustomerBook,
  type KnownCustomers,
  lockSurvivors,
  nameOfIdentifier,
  nameOfVisitor,
  openCustomers,
  openShells,
  readPhone,
  saveCustomers,
  saveTombstones,
} from '@tributary/domain/customers';
import { eraseOutcomes, markLinked } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import {
  byStrength,
  decideBrowserIdentity,
  type HolderOf,
  type Identifier,
  identifierKey,
  isOfErased,
  normaliseEmail,
  normaliseKey,
  type Traits,
  withoutErased,
} from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import type { Ingestion } from './context.ts';
import { eachProfile } from './each-profile.ts';
import type { PlacedVisit } from './place-visits.ts';
import { isSigned, type Signing } from './signature.ts';
import { findHolders, insertLinks, type VisitorLink } from './store.ts';

/** What a visit says of who its browser is. */
interface Claim {
  readonly profileId: string;
  readonly visitorId: string;
  readonly visitId: string;
  readonly at: Date;
  /** When it was said at the latest: a browser's clock may be ahead. */
  readonly saidAt: Date;
  readonly receivedAt: Date;
  readonly identifiers: readonly Identifier[];
  readonly traits: Traits;
  readonly signature: string | undefined;
  /** Whether the shop's server said it. */
  readonly isSigned: boolean;
  /** Whom a link token named when it was minted. */
  readonly tokenOf: string | undefined;
}

/**
 * Step 7. Whose browser it is. A browser's word is worth little, because its key is public: it links its own visitor, if that is
 * nobody's yet, to one customer, and never merges customers, adds an identifier to one or changes a name. A link token was
 * made by us, and counts before what the browser says.
 *
 * Resolves to whether a browser turned out to be of somebody who was erased after it said so: its visits have to be placed anew.
 */
export async function identifyVisitors(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<boolean> {
  const claims = visits
    .flatMap((placed) => claimOf(ingestion, placed))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.visitId < b.visitId ? -1 : 1));
  let foundErased = false;
  await eachProfile(claims, async (profileId, theirs) => {
    if (await settleClaims(ingestion, profileId, theirs)) foundErased = true;
  });
  return foundErased;
}

/**
 * A token that lapsed less than this before its visit came still counts: the visit may have waited on the device. When it came is our own
 * word; when it happened is the browser's, and whoever holds an old token could say anything.
 */
const tokenGraceMs = 24 * 60 * 60 * 1_000;

function claimOf(
  { readLinkToken }: Pick<Ingestion, 'readLinkToken'>,
  { profile, arrival, visitorId, isErased, visit, secret }: PlacedVisit,
): Claim[] {
  if (arrival.user_agent.is_bot || isErased) return [];
  const at = new Date(visit.at);
  const identifiers = visit.type === 'identify' ? readTraits(profile.id, secret.traits ?? {}) : [];
  const receivedAt = new Date(arrival.received_at);
  const usedAt = new Date(receivedAt.getTime() - tokenGraceMs);
  const tokenOf = secret.link_token ? readLinkToken(profile.id, secret.link_token, usedAt) : undefined;
  if (identifiers.length === 0 && !tokenOf) return [];
  const saidAt = new Date(Math.min(at.getTime(), receivedAt.getTime()));
  const { traits = {}, signature } = secret;
  const said = { identifiers, traits, signature, isSigned: false };
  return [{ profileId: profile.id, visitorId, visitId: visit.id, at, saidAt, receivedAt, ...said, tokenOf }];
}

/** One that cannot be read says nothing. Names are left out: they tell nobody apart, and a stranger may have typed them. */
function readTraits(profileId: string, { external_id, email, phone }: Traits): Identifier[] {
  const read: { kind: Identifier['kind']; value: string | undefined }[] = [
    { kind: 'external_customer_id', value: external_id && normaliseKey(external_id) },
    { kind: 'email', value: email && normaliseEmail(email) },
    { kind: 'phone', value: phone && readPhone(profileId, phone) },
  ];
  return read.flatMap(({ kind, value }) => (value ? [{ kind, value }] : []));
}

async function settleClaims(
  ingestion: Pick<Ingestion, 'postgres' | 'tombstones' | 'readSigning' | 'now'>,
  profileId: string,
  claims: readonly Claim[],
): Promise<boolean> {
  const { postgres, tombstones, now } = ingestion;
  return postgres.forProfile(profileId).transaction(async (tx) => {
    const linked = await findHolders(
      tx,
      profileId,
      claims.map(({ visitorId }) => visitorId),
    );
    const unlinked = claims.filter(({ visitorId }) => !linked.has(visitorId));
    if (unlinked.length === 0) return false;
    const open = weigh(unlinked, await ingestion.readSigning(tx, profileId));
    // Identifiers before customers, as every writer locks.
    const said = open.flatMap(({ identifiers }) => identifiers);
    const known = await openCustomers(tx, profileId, said, tombstones);
    const graves = { erased: known.erased, holderOf: holdersIn(known) };
    const late = open.filter(({ identifiers, saidAt }) => isOfErased(identifiers, saidAt, graves));
    const isFound = late.length > 0 && (await linkToShells(tx, profileId, late, ingestion));
    const rest = open.flatMap((claim) => {
      const identifiers = withoutErased(claim.identifiers, claim.saidAt, graves);
      return late.includes(claim) || (identifiers.length === 0 && !claim.tokenOf) ? [] : [{ ...claim, identifiers }];
    });
    const fresh = await decide(tx, profileId, rest, known, now());
    await markLinked(tx, profileId, await insertLinks(tx, profileId, fresh));
    return isFound;
  });
}

/** What the shop's server signed counts before what only a browser says, and where that is required nothing else counts. */
function weigh(claims: readonly Claim[], signing: Signing): Claim[] {
  const weighed = claims.map((claim) => ({
    ...claim,
    isSigned: isSigned(claim.traits, claim.signature, signing, claim.receivedAt),
  }));
  const counted = weighed.flatMap((claim) => {
    if (!signing.isRequired || claim.isSigned || claim.identifiers.length === 0) return [claim];
    return claim.tokenOf ? [{ ...claim, identifiers: [] }] : [];
  });
  return counted.sort((a, b) => Number(b.isSigned) - Number(a.isSigned));
}

/** The earliest word of each browser that says anything, and before it a token. */
async function decide(
  tx: Tx,
  profileId: string,
  claims: readonly Claim[],
  known: KnownCustomers,
  now: Date,
): Promise<VisitorLink[]> {
  const links = await linksByToken(tx, profileId, claims);
  const words = claims.filter(({ visitorId, identifiers }) => identifiers.length > 0 && !links.has(visitorId));
  const [first] = words;
  if (!first) return [...links.values()];
  const evidence = { source: 'browser', saidAt: now, requestId: first.visitId };
  const book = new CustomerBook(known, uuid);
  const holderOf = holdersIn(known);
  const newcomers = new Map<string, string>();
  for (const { visitorId, identifiers, at, isSigned: signed } of words) {
    if (links.has(visitorId)) continue;
    const { customerId, linked } = decideBrowserIdentity(identifiers, holderOf);
    const name = linked.map(identifierKey).join();
    const somebody =
      customerId ?? newcomers.get(name) ?? book.take({ identifiers: linked, seenAt: at }, evidence)?.customerId;
    if (!somebody) continue;
    if (!customerId) newcomers.set(name, somebody);
    const saidOf = customerId && saidOfIn(known, identifiers, customerId);
    links.set(visitorId, {
      visitorId,
      customerId: somebody,
      saidOf,
      source: 'identify',
      linkedAt: at,
      isSigned: signed,
    });
  }
  await saveCustomers(tx, profileId, book.changes());
  return [...links.values()];
}

function holdersIn({ customers, bindings }: KnownCustomers): HolderOf {
  const holders = new Map(customers.map((customer) => [customer.id, customer]));
  const holderIds = new Map(bindings.map((binding) => [identifierKey(binding), binding.customerId]));
  return (identifier) => holders.get(holderIds.get(identifierKey(identifier)) ?? '');
}

/** Whom the strongest identifier that finds the customer was said of, who may have been merged into it. */
function saidOfIn({ bindings }: KnownCustomers, identifiers: readonly Identifier[], customerId: string) {
  const held = new Map(bindings.map((binding) => [identifierKey(binding), binding]));
  const found = byStrength(identifiers).flatMap((identifier) => held.get(identifierKey(identifier)) ?? []);
  return found.find((binding) => binding.customerId === customerId)?.movedFrom ?? customerId;
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
      links.set(visitorId, {
        visitorId,
        customerId,
        saidOf: tokenOf,
        source: 'link_token',
        linkedAt: at,
        isSigned: false,
      });
  }
  return links;
}

/**
 * Browsers that said, before an erasure and on the way to us still, that they are of the person who was erased. They go where that
 * person's other browsers went and are forgotten with them. Once the erasure is done nobody knows where that was: then the browser
 * is nobody's.
 */
async function linkToShells(
  tx: Tx,
  profileId: string,
  claims: readonly Claim[],
  { tombstones, now }: Pick<Ingestion, 'tombstones' | 'now'>,
): Promise<boolean> {
  const hashesOf = ({ identifiers }: Claim) =>
    identifiers.map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier)));
  const shells = await openShells(tx, profileId, claims.flatMap(hashesOf));
  let isAny = false;
  for (const claim of claims) {
    const shell = hashesOf(claim)
      .map((hash) => shells.get(hash.toString('hex')))
      .find((found) => found !== undefined);
    if (!shell) continue;
    const { visitorId, at: linkedAt, isSigned: signed } = claim;
    const link: VisitorLink = { visitorId, customerId: shell.shellId, source: 'identify', linkedAt, isSigned: signed };
    const fresh = await insertLinks(tx, profileId, [link]);
    if (fresh.length === 0) continue;
    isAny = true;
    await markLinked(tx, profileId, fresh);
    await eraseOutcomes(tx, { profileId, customerIds: [shell.shellId], shellId: shell.shellId, at: now() });
    await saveTombstones(tx, profileId, shell, [tombstones.hashOf(profileId, nameOfVisitor(visitorId))]);
  }
  return isAny;
}
