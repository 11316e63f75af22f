import {
  type ClockRefusal,
  checkClock,
  Effort,
  maskName,
  maskReferrer,
  maskUrl,
  readVisit,
  type Visit,
  type VisitRefusal,
} from '@tributary/rules/visits';
import type { ClickIdKind } from '@tributary/vocabulary';

/** The part of a visit that is readable in the stream: no personal data, no token, masked addresses. */
export type OpenVisit = Omit<Visit, 'properties' | 'traits' | 'link_token' | 'signature'>;

/**
 * The part of a visit that is encrypted in the stream. It includes properties, because sites may put personal data
 * there.
 */
export interface SecretPart {
  readonly properties?: Visit['properties'];
  readonly traits?: Visit['traits'];
  readonly link_token?: string;
  readonly signature?: string;
  readonly click_ids?: Readonly<Partial<Record<ClickIdKind, string>>>;
}

export type BadReason = VisitRefusal | ClockRefusal;

export type ParsedVisit =
  | { readonly ok: true; readonly visit: OpenVisit; readonly secret: SecretPart | undefined }
  | { readonly ok: false; readonly reason: BadReason };

/** The fields that are masked. */
type MaskableFields = Pick<Visit, 'url' | 'name' | 'referrer'>;

interface MaskedFields extends MaskableFields {
  readonly clickIds: NonNullable<SecretPart['click_ids']>;
}

/**
 * Masks the visits of one request, with one shared limit of work and a cache of referrers, which repeat within a
 * request.
 */
export class Masking {
  readonly #effort = new Effort();
  readonly #referrers = new Map<string, string>();

  mask({ url: page, name, referrer }: MaskableFields, ownHosts: readonly string[]): MaskedFields {
    const { url, clickIds } = maskUrl(page, this.#effort);
    return {
      url,
      clickIds,
      ...(name !== undefined && { name: maskName(name, this.#effort) }),
      ...(referrer !== undefined && { referrer: this.#maskOnce(referrer, page, ownHosts) }),
    };
  }

  /** The page's site decides how much of a referrer is kept. */
  #maskOnce(referrer: string, url: string, ownHosts: readonly string[]): string {
    const key = `${url.slice(0, url.indexOf('/', 8))} ${referrer}`;
    let found = this.#referrers.get(key);
    if (found === undefined) {
      found = maskReferrer(referrer, url, ownHosts, this.#effort);
      this.#referrers.set(key, found);
    }
    return found;
  }
}

/** Masks visits of separate requests: each has its own limit of work, and equal fields are masked once. */
export class CachedMasking implements Pick<Masking, 'mask'> {
  readonly #cache = new Map<string, MaskedFields>();

  mask(fields: MaskableFields, ownHosts: readonly string[]): MaskedFields {
    // The fields contain no NUL and are not empty, so the key is unambiguous.
    const key = `${fields.url}\0${fields.name ?? ''}\0${fields.referrer ?? ''}`;
    let masked = this.#cache.get(key);
    if (!masked) {
      masked = new Masking().mask(fields, ownHosts);
      this.#cache.set(key, masked);
    }
    return masked;
  }
}

/** Parses a visit and splits it into a readable and an encrypted part. Used by the collector, imports and replays. */
export function takeVisit(
  sent: unknown,
  receivedAt: Date,
  ownHosts: readonly string[],
  masking: Pick<Masking, 'mask'> = new Masking(),
): ParsedVisit {
  const read = readVisit(sent);
  if (!read.ok) return read;
  const { properties: _p, traits: _t, link_token: _l, signature: _s, ...rest } = read.visit;
  const refusal = checkClock(rest.at, receivedAt);
  if (refusal) return { ok: false, reason: refusal };
  const { clickIds, ...masked } = masking.mask(rest, ownHosts);
  return { ok: true, visit: { ...rest, ...masked }, secret: toSecretPart(read.visit, clickIds) };
}

function toSecretPart(
  { properties, traits, link_token, signature }: Pick<Visit, 'properties' | 'traits' | 'link_token' | 'signature'>,
  clickIds: NonNullable<SecretPart['click_ids']>,
): SecretPart | undefined {
  let hasClickIds = false;
  for (const _kind in clickIds) {
    hasClickIds = true;
    break;
  }
  if (!(properties || traits || link_token || hasClickIds)) return undefined;
  return {
    ...(properties && { properties }),
    ...(traits && { traits }),
    ...(link_token && { link_token }),
    ...(signature && { signature }),
    ...(hasClickIds && { click_ids: clickIds }),
  };
}
