import { tooMany } from '@tributary/operations/refusals.ts';
import {
  type AddressGroup,
  hidden,
  type Leases,
  leasedOfAddress,
  type RateLimiter,
  takeOfAddress,
} from '@tributary/redis';
import { hourMs, limits } from '@tributary/vocabulary';
import { notNow } from './refusals.ts';

const { perMinute, unverifiedMebibytesPerHour: unverified } = limits.providerWebhooks;

/** Bytes are counted in kibibytes: limits of gibibytes stay small numbers. */
const kibibytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));
const ofMebibytes = (mebibytes: number): number => mebibytes * 1_024;

/** Before the body is read, by the length that its sender announces. */
export function takeOfSender(leases: Leases, group: AddressGroup, bytes: number): void {
  const { requests, mebibytes } = perMinute.address;
  const verdicts = [
    leasedOfAddress(leases, 'webhooks', group, requests),
    leasedOfAddress(leases, 'webhook-bytes', group, ofMebibytes(mebibytes), kibibytes(bytes)),
  ];
  for (const verdict of verdicts) if (!verdict.allowed) throw tooMany(verdict);
}

/**
 * After the signature was verified, so that nobody uses up the budget of an account with forged webhooks. Where the provider signs for all of its
 * accounts, the budget is the provider's.
 */
export function takeOfSource(leases: Leases, source: WebhookSource, bytes: number): void {
  const { requests, mebibytes } = perMinute[source.account === undefined ? 'provider' : 'account'];
  const verdicts = [
    leases.take(`webhooks-of:${nameOf(source)}`, requests),
    leases.take(`webhook-bytes-of:${nameOf(source)}`, ofMebibytes(mebibytes), kibibytes(bytes)),
  ];
  for (const verdict of verdicts) if (!verdict.allowed) throw tooMany(verdict);
}

/** Of what cannot be verified now. Anybody can name an account, so that an address has less than several accounts have. */
export async function takeOfUnverified(
  limiter: RateLimiter,
  source: WebhookSource,
  group: AddressGroup,
  sealedBytes: number,
): Promise<void> {
  const terms = { windowMs: hourMs, cost: kibibytes(sealedBytes) };
  const ofAddress = await takeOfAddress(limiter, 'unverified', group, ofMebibytes(unverified.address), terms);
  if (!ofAddress.allowed) throw notNow('the address has used up its room for unverified webhooks');
  const ofAccount = await limiter.take(`unverified-of:${nameOf(source)}`, ofMebibytes(unverified.account), terms);
  if (!ofAccount.allowed) throw notNow('the account has used up its room for unverified webhooks');
}

export interface WebhookSource {
  readonly channel: string;
  /** As the sender names it; undefined where a provider signs for all of its accounts. */
  readonly account: string | undefined;
}

const nameOf = ({ channel, account }: WebhookSource): string =>
  account === undefined ? channel : hidden(`${channel}:${account}`);
