import type { Input, Routes } from '@tributary/contract';
import { clickMarker } from '@tributary/domain/commerce/customers';
import { type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Identifier, type Origin, originOf } from '@tributary/rules';
import { parseOccurredAt } from './occurred-at.ts';
import { readIdentifiers } from './resolve-customers.ts';
import type { PartnerServices } from './services.ts';
import { findExistingTouches, type PartnerTouch } from './store.ts';

type Body = Input<Routes['createAdReferrals']>['body'];

/** A validated referral. */
export interface Referral {
  readonly keyHash: Buffer;
  readonly identifiers: readonly Identifier[];
  /** The caller's own customer id, if the request named the customer by it. */
  readonly said: string | undefined;
  readonly at: Date;
  readonly adId: string;
  readonly origin: Origin;
}

export interface ReferralBatch {
  readonly all: readonly Referral[];
  /** Existing touches, by key hash in hexadecimal. */
  readonly existing: Map<string, PartnerTouch>;
  /** The first referral of each new key. */
  readonly fresh: readonly Referral[];
}

type Context = ProfileContext & PartnerServices;

/** Validates the referrals of a request and finds existing touches. One invalid referral refuses the whole request. */
export async function readReferrals(tx: Tx, body: Body, context: Context): Promise<ReferralBatch> {
  const { caller, now, tombstones, findAdPlatforms } = context;
  const { profileId, isHealthcare } = caller;
  const referrals = 'referrals' in body && Array.isArray(body.referrals) ? body.referrals : [body as SingleReferral];
  const platforms = await findAdPlatforms(
    tx,
    profileId,
    referrals.map(({ ad_id }) => ad_id),
  );
  const markOf = clickMarker(tombstones, profileId);
  const all = referrals.map((referral, index): Referral => {
    const { idempotency_key, ad_id, occurred_at, ctwa_clid } = referral;
    const path = referrals.length > 1 ? `referrals.${index}.` : '';
    const identifiers = readIdentifiers(profileId, referral, isHealthcare);
    const platform = platforms.get(ad_id) ?? refuseAd(path);
    const source = { ad_id, platform, click_ids: { ctwa_clid } };
    return {
      keyHash: tombstones.hashOf(profileId, `ad_referral:${idempotency_key}`),
      identifiers,
      said: referral.customer?.external_ref,
      at: parseOccurredAt(occurred_at, now, `${path}occurred_at`),
      adId: ad_id,
      // An ad is given, so the origin exists.
      origin: originOf(profileId, source, { platformOf: () => platform, markOf }) as Origin,
    };
  });
  const existing = await findExistingTouches(
    tx,
    profileId,
    'ad_referral',
    all.map(({ keyHash }) => keyHash),
  );
  const firstByHash = new Map(all.toReversed().map((one) => [one.keyHash.toString('hex'), one]));
  return {
    all,
    existing,
    fresh: all.filter((one) => isNew(one, existing) && firstByHash.get(one.keyHash.toString('hex')) === one),
  };
}

type SingleReferral = Extract<Body, { idempotency_key: string }>;

const isNew = ({ keyHash }: Referral, existing: ReadonlyMap<string, unknown>) => !existing.has(keyHash.toString('hex'));

const refuseAd = (path: string): never =>
  refuse('unknown_ad', `"${path}ad_id" is none of the profile’s ads, and nothing was stored.`);
