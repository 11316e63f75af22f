import type { Input, Routes } from '@tributary/contract';
import { clickMarker } from '@tributary/domain/customers';
import { type ProfileContext, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { type Identifier, type Origin, originOf } from '@tributary/rules';
import { momentOf } from './moment.ts';
import { readNamed } from './named-customers.ts';
import type { PartnerServices } from './services.ts';
import { findTold, type PartnerTouch } from './store.ts';

type Body = Input<Routes['createAdReferrals']>['body'];

/** A referral that can be recorded. */
export interface Referral {
  readonly toldAs: Buffer;
  readonly identifiers: readonly Identifier[];
  /** The caller's own id of the customer, where the request named them by it. */
  readonly said: string | undefined;
  readonly at: Date;
  readonly adId: string;
  readonly origin: Origin;
}

export interface ReadReferrals {
  readonly all: readonly Referral[];
  /** What was told before, by the hash in hex. */
  readonly told: Map<string, PartnerTouch>;
  /** The first of each key that was not. */
  readonly fresh: readonly Referral[];
}

type Context = ProfileContext & PartnerServices;

/** The referrals of a request, looked up. One that cannot be recorded is the answer for all. */
export async function readReferrals(tx: Tx, body: Body, context: Context): Promise<ReadReferrals> {
  const { caller, now, tombstones, findAdPlatforms } = context;
  const { profileId, isHealthcare } = caller;
  const referrals = 'referrals' in body && Array.isArray(body.referrals) ? body.referrals : [body as Single];
  const platforms = await findAdPlatforms(
    tx,
    profileId,
    referrals.map(({ ad_id }) => ad_id),
  );
  const markOf = clickMarker(tombstones, profileId);
  const all = referrals.map((referral, index): Referral => {
    const { idempotency_key, ad_id, occurred_at, ctwa_clid } = referral;
    const place = referrals.length > 1 ? `referrals.${index}.` : '';
    const identifiers = readNamed(profileId, referral, isHealthcare);
    const platform = platforms.get(ad_id) ?? refuseAd(place);
    const said = { ad_id, platform, click_ids: { ctwa_clid } };
    return {
      toldAs: tombstones.hashOf(profileId, `ad_referral:${idempotency_key}`),
      identifiers,
      said: referral.customer?.external_ref,
      at: momentOf(occurred_at, now, `${place}occurred_at`),
      adId: ad_id,
      // It names an ad, so there is one.
      origin: originOf(profileId, said, { platformOf: () => platform, markOf }) as Origin,
    };
  });
  const told = await findTold(
    tx,
    profileId,
    'ad_referral',
    all.map(({ toldAs }) => toldAs),
  );
  const firsts = new Map(all.toReversed().map((one) => [one.toldAs.toString('hex'), one]));
  return { all, told, fresh: all.filter((one) => isNew(one, told) && firsts.get(one.toldAs.toString('hex')) === one) };
}

type Single = Extract<Body, { idempotency_key: string }>;

const isNew = ({ toldAs }: Referral, told: ReadonlyMap<string, unknown>) => !told.has(toldAs.toString('hex'));

const refuseAd = (place: string): never =>
  refuse('unknown_ad', `"${place}ad_id" is none of the profile’s ads, and nothing was stored.`);
