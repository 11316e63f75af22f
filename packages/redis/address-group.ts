import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Leases } from './leases.ts';
import type { RateLimiter, Terms, Verdict } from './rate-limit.ts';

/** Whom an address stands for when something is counted by address. */
export interface AddressGroup {
  /** An IPv4 address, or the network that one subscriber of IPv6 has for itself: any address of it is theirs to use. */
  readonly own: string;
  /** The network of IPv6 that a company or a provider's customer may hold, with many of the former. */
  readonly wider?: string;
}

/** How many times as much as one network the wider one gets. */
export const widerTimes = 16;

export function addressGroup(address: string): AddressGroup {
  if (!address.includes(':') || !ipaddr.isValid(address)) return { own: address };
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return { own: parsed.toString() };
  const words = parsed.parts.map((part) => part.toString(16));
  return { own: `${words.slice(0, 4).join(':')}::/64`, wider: `${words.slice(0, 3).join(':')}::/48` };
}

/** Whoever asks once mostly asks again. They stay in this process, and not for long: some hundred others push them out. */
const seen = new LRUCache<string, string>({ max: 500 });

/** An address is personal; whoever counts needs only to tell it from others. */
export function hidden(subject: string): string {
  const known = seen.get(subject);
  if (known !== undefined) return known;
  const made = hash('sha256', subject, 'base64url').slice(0, 16);
  seen.set(subject, made);
  return made;
}

/** One request of an address, against the allowance of its group and of the wider one. */
export async function takeOfAddress(
  limiter: RateLimiter,
  bucket: string,
  { own, wider }: AddressGroup,
  limit: number,
  terms?: Terms,
): Promise<Verdict> {
  const verdict = await limiter.take(`${bucket}:${hidden(own)}`, limit, terms);
  if (wider === undefined || !verdict.allowed) return verdict;
  const widerVerdict = await limiter.take(`${bucket}:${hidden(wider)}`, limit * widerTimes, terms);
  return widerVerdict.allowed ? verdict : widerVerdict;
}

/** The same without waiting for Redis. `cost`: units of the limit that this request uses. */
export function leasedOfAddress(
  leases: Leases,
  bucket: string,
  { own, wider }: AddressGroup,
  limit: number,
  cost = 1,
): Verdict {
  const verdict = leases.take(`${bucket}:${hidden(own)}`, limit, cost);
  if (wider === undefined || !verdict.allowed) return verdict;
  const widerVerdict = leases.take(`${bucket}:${hidden(wider)}`, limit * widerTimes, cost);
  return widerVerdict.allowed ? verdict : widerVerdict;
}
