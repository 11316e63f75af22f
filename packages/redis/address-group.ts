import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Leases } from './leases.ts';
import type { LimitOptions, RateLimiter, Verdict } from './rate-limit.ts';

/** The networks of an address, for limits per address. */
export interface AddressGroup {
  /** An IPv4 address, or the IPv6 network of one subscriber, who can use any address in it. */
  readonly own: string;
  /** The IPv6 network that a company or a provider's customer may hold, which contains many of the former. */
  readonly wider?: string;
}

/** The limit of the wider network as a multiple of the limit of one subscriber's network. */
export const widerFactor = 16;

export function addressGroup(address: string): AddressGroup {
  if (!address.includes(':') || !ipaddr.isValid(address)) return { own: address };
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return { own: parsed.toString() };
  const words = parsed.parts.map((part) => part.toString(16));
  return { own: `${words.slice(0, 4).join(':')}::/64`, wider: `${words.slice(0, 3).join(':')}::/48` };
}

/**
 * Caches the last hashes, because most clients send several requests. It holds 500 entries, so raw addresses do not stay in memory for
 * long.
 */
const hashes = new LRUCache<string, string>({ max: 500 });

/** Hashes an address, which is personal data: a counter only needs to distinguish addresses. */
export function hashValue(subject: string): string {
  const cached = hashes.get(subject);
  if (cached !== undefined) return cached;
  const hashed = hash('sha256', subject, 'base64url').slice(0, 16);
  hashes.set(subject, hashed);
  return hashed;
}

/** Counts one request of an address against the limits of its group and of the wider network. */
export async function takeForAddress(
  limiter: RateLimiter,
  bucket: string,
  { own, wider }: AddressGroup,
  limit: number,
  terms?: LimitOptions,
): Promise<Verdict> {
  const verdict = await limiter.take(`${bucket}:${hashValue(own)}`, limit, terms);
  if (wider === undefined || !verdict.allowed) return verdict;
  const widerVerdict = await limiter.take(`${bucket}:${hashValue(wider)}`, limit * widerFactor, terms);
  return widerVerdict.allowed ? verdict : widerVerdict;
}

/** The same without waiting for Redis. `cost`: the share of the limit that this request takes. */
export function leasedOfAddress(
  leases: Leases,
  bucket: string,
  { own, wider }: AddressGroup,
  limit: number,
  cost = 1,
): Verdict {
  const verdict = leases.take(`${bucket}:${hashValue(own)}`, limit, cost);
  if (wider === undefined || !verdict.allowed) return verdict;
  const widerVerdict = leases.take(`${bucket}:${hashValue(wider)}`, limit * widerFactor, cost);
  return widerVerdict.allowed ? verdict : widerVerdict;
}
