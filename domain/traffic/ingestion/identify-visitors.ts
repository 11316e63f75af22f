import {
  CustomerBook,
  lockPendingErasures,
  lockSurvivors,
  nameOfIdentifier,
  nameOfVisitor,
  type OpenedCustomers,
  openCustomers,
  readPhone,
  saveCustomers,
  saveTombstones,
} from '@tributary/domain/commerce/customers';
import { eraseOutcomes, markLinked } from '@tributary/domain/commerce/outcomes';
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

/** A visit's claim about which customer its browser belongs to. */
interface Claim {
  readonly profileId: string;
  readonly visitorId: string;
  readonly visitId: string;
  readonly at: Date;
  /** The earlier of the visit's time and its arrival, because a browser's clock may be ahead. */
  readonly saidAt: Date;
  readonly receivedAt: Date;
  readonly identifiers: readonly Identifier[];
  readonly traits: Traits;
  readonly signature: string | undefined;
  /** Whether the shop's server signed the claim. */
  readonly isSigned: boolean;
  /** The customer that the link token named when it was created. */
  readonly tokenOf: string | undefined;
}

/**
 * Step 7: links browsers to customers. Browser claims are weak evidence, because the tracking key is public. A claim
 * links its own unlinked browser to one customer. It never merges customers, adds identifiers or changes names. A link
 * token was issued by this system and takes precedence over browser claims.
 *
 * Resolves to true if a browser turned out to belong to a customer who was erased after the claim: then its visits must
 * be placed again.
 */
export async function identifyVisitors(ingestion: Ingestion, visits: readonly PlacedVisit[]): Promise<boolean> {
  const claims = visits
    .flatMap((placed) => toClaims(ingestion, placed))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || (a.visitId < b.visitId ? -1 : 1));
  let foundErased = false;
  await eachProfile(claims, async (profileId, theirs) => {
    if (await applyClaims(ingestion, profileId, theirs)) foundErased = true;
  });
  return foundErased;
}

/**
 * A token still counts if it expired less than this before the visit arrived, since the visit may have waited on the
 * device. Uses the arrival time, because a browser could claim any visit time for an old token.
 */
const tokenGraceMs = 24 * 60 * 60 * 1_000;

function toClaims(
  { readLinkToken }: Pick<Ingestion, 'readLinkToken'>,
  { profile, arrival, visitorId, isErased, visit, secret }: PlacedVisit,
): Claim[] {
  if (arrival.user_agent.is_bot || isErased) return [];
  const at = new Date(visit.at);
  const identifiers = visit.type === 'identify' ? readTraits(profile.id, secret.traits ?? {}) : [];
  const receivedAt = new Date(arrival.received_at);
  const tokenCheckedAt = new Date(receivedAt.getTime() - tokenGraceMs);
  const tokenOf = secret.link_token ? readLinkToken(profile.id, secret.link_token, tokenCheckedAt) : undefined;
  if (identifiers.length === 0 && !tokenOf) return [];
  const saidAt = new Date(Math.min(at.getTime(), receivedAt.getTime()));
  const { traits = {}, signature } = secret;
  const evidence = { identifiers, traits, signature, isSigned: false };
  return [{ profileId: profile.id, visitorId, visitId: visit.id, at, saidAt, receivedAt, ...evidence, tokenOf }];
}

/**
 * Reads the identifiers among the traits and ignores invalid ones. Names are ignored: they identify nobody and may come
 * from anyone.
 */
function readTraits(profileId: string, { external_id, email, phone }: Traits): Identifier[] {
  const read: { kind: Identifier['kind']; value: string | undefined }[] = [
    { kind: 'external_customer_id', value: external_id && normaliseKey(external_id) },
    { kind: 'email', value: email && normaliseEmail(email) },
    { kind: 'phone', value: phone && readPhone(profileId, phone) },
  ];
  return read.flatMap(({ kind, value }) => (value ? [{ kind, value }] : []));
}

async function applyClaims(
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
    const ranked = rankClaims(unlinked, await ingestion.readSigning(tx, profileId));
    // Locks identifiers before customers, in the same order as every writer.
    const claimed = ranked.flatMap(({ identifiers }) => identifiers);
    const known = await openCustomers(tx, profileId, claimed, tombstones);
    const erasedIdentities = { erased: known.erased, holderOf: holdersIn(known) };
    const erasedClaims = ranked.filter(({ identifiers, saidAt }) => isOfErased(identifiers, saidAt, erasedIdentities));
    const isFound = erasedClaims.length > 0 && (await linkToErasedCustomers(tx, profileId, erasedClaims, ingestion));
    const rest = ranked.flatMap((claim) => {
      const identifiers = withoutErased(claim.identifiers, claim.saidAt, erasedIdentities);
      return erasedClaims.includes(claim) || (identifiers.length === 0 && !claim.tokenOf)
        ? []
        : [{ ...claim, identifiers }];
    });
    const fresh = await decideLinks(tx, profileId, rest, known, now());
    await markLinked(tx, profileId, await insertLinks(tx, profileId, fresh));
    return isFound;
  });
}

/**
 * Orders signed claims before unsigned ones. If the profile requires signatures, drops the identifiers of unsigned
 * claims.
 */
function rankClaims(claims: readonly Claim[], signing: Signing): Claim[] {
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

/** Decides the link of each browser: by its link token, otherwise by its earliest claim. */
async function decideLinks(
  tx: Tx,
  profileId: string,
  claims: readonly Claim[],
  known: OpenedCustomers,
  now: Date,
): Promise<VisitorLink[]> {
  const links = await linksByToken(tx, profileId, claims);
  const identifyingClaims = claims.filter(
    ({ visitorId, identifiers }) => identifiers.length > 0 && !links.has(visitorId),
  );
  const [first] = identifyingClaims;
  if (!first) return [...links.values()];
  const evidence = { source: 'browser', saidAt: now, requestId: first.visitId };
  const book = new CustomerBook(known, uuid);
  const holderOf = holdersIn(known);
  const newcomers = new Map<string, string>();
  for (const { visitorId, identifiers, at, isSigned: signed } of identifyingClaims) {
    if (links.has(visitorId)) continue;
    const { customerId, linked } = decideBrowserIdentity(identifiers, holderOf);
    const name = linked.map(identifierKey).join();
    const linkedCustomerId =
      customerId ?? newcomers.get(name) ?? book.take({ identifiers: linked, seenAt: at }, evidence)?.customerId;
    if (!linkedCustomerId) continue;
    if (!customerId) newcomers.set(name, linkedCustomerId);
    const saidOf = customerId && findOriginalHolder(known, identifiers, customerId);
    links.set(visitorId, {
      visitorId,
      customerId: linkedCustomerId,
      saidOf,
      source: 'identify',
      linkedAt: at,
      isSigned: signed,
    });
  }
  await saveCustomers(tx, profileId, book.changes());
  return [...links.values()];
}

function holdersIn({ customers, bindings }: OpenedCustomers): HolderOf {
  const holders = new Map(customers.map((customer) => [customer.id, customer]));
  const holderIds = new Map(bindings.map((binding) => [identifierKey(binding), binding.customerId]));
  return (identifier) => holders.get(holderIds.get(identifierKey(identifier)) ?? '');
}

/** The customer to whom the strongest matching identifier belonged before a merge. */
function findOriginalHolder({ bindings }: OpenedCustomers, identifiers: readonly Identifier[], customerId: string) {
  const held = new Map(bindings.map((binding) => [identifierKey(binding), binding]));
  const found = byStrength(identifiers).flatMap((identifier) => held.get(identifierKey(identifier)) ?? []);
  return found.find((binding) => binding.customerId === customerId)?.movedFrom ?? customerId;
}

/** Links by token. Follows merges since the token was created; a token of a deleted customer is ignored. */
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
 * Links browsers whose claim names an erased customer and was made before the erasure but processed after it. They go
 * to the same anonymous customer as the erased customer's other browsers, and their data is erased with it. Once the
 * erasure is complete that customer can no longer be found, so the browser stays unlinked.
 */
async function linkToErasedCustomers(
  tx: Tx,
  profileId: string,
  claims: readonly Claim[],
  { tombstones, now }: Pick<Ingestion, 'tombstones' | 'now'>,
): Promise<boolean> {
  const hashIdentifiers = ({ identifiers }: Claim) =>
    identifiers.map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier)));
  const shells = await lockPendingErasures(tx, profileId, claims.flatMap(hashIdentifiers));
  let isAny = false;
  for (const claim of claims) {
    const shell = hashIdentifiers(claim)
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
