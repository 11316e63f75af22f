import { tooMany } from '@tributary/operations/refusals.ts';
import {
  type AddressGroup,
  hashValue,
  type Leases,
  leasedOfAddress,
  type RateLimiter,
  takeForAddress,
} from '@tributary/redis';
import { hourMs, limits } from '@tributary/vocabulary';
import { unavailable } from './refusals.ts';

const { perMinute, unverifiedMebibytesPerHour: unverified } = limits.providerWebhooks;

/** Limits count kibibytes, so that limits of gibibytes stay small integers. */
const kibibytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));
const fromMebibytes = (mebibytes: number): number => mebibytes * 1_024;

/** Charges the address before the body is read, by its Content-Length. */
export function chargeAddress(leases: Leases, group: AddressGroup, bytes: number): void {
  const { requests, mebibytes } = perMinute.address;
  const verdicts = [
    leasedOfAddress(leases, 'webhooks', group, requests),
    leasedOfAddress(leases, 'webhook-bytes', group, fromMebibytes(mebibytes), kibibytes(bytes)),
  ];
  for (const verdict of verdicts) if (!verdict.allowed) throw tooMany(verdict);
}

/**
 * Charges the account after its signature was verified, so that forged webhooks cannot use up its limit. A provider with one secret for all
 * accounts has one limit.
 */
export function chargeSource(leases: Leases, source: WebhookSource, bytes: number): void {
  const { requests, mebibytes } = perMinute[source.account === undefined ? 'provider' : 'account'];
  const verdicts = [
    leases.take(`webhooks-of:${bucketOf(source)}`, requests),
    leases.take(`webhook-bytes-of:${bucketOf(source)}`, fromMebibytes(mebibytes), kibibytes(bytes)),
  ];
  for (const verdict of verdicts) if (!verdict.allowed) throw tooMany(verdict);
}

/** Charges unverified webhooks. A sender can claim any account, so the quota per address is only a few times the quota per account. */
export async function chargeUnverified(
  limiter: RateLimiter,
  source: WebhookSource,
  group: AddressGroup,
  sealedBytes: number,
): Promise<void> {
  const terms = { windowMs: hourMs, cost: kibibytes(sealedBytes) };
  const ofAddress = await takeForAddress(limiter, 'unverified', group, fromMebibytes(unverified.address), terms);
  if (!ofAddress.allowed) throw unavailable('the address has used up its quota of unverified webhooks');
  const ofAccount = await limiter.take(`unverified-of:${bucketOf(source)}`, fromMebibytes(unverified.account), terms);
  if (!ofAccount.allowed) throw unavailable('the account has used up its quota of unverified webhooks');
}

export interface WebhookSource {
  readonly channel: string;
  /** As claimed by the sender. Undefined if the provider has one secret for all accounts. */
  readonly account: string | undefined;
}

const bucketOf = ({ channel, account }: WebhookSource): string =>
  account === undefined ? channel : hashValue(`${channel}:${account}`);
