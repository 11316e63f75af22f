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

/** What of a visit may be seen by whoever reads the stream: no person, no token, addresses masked. */
export type OpenVisit = Omit<Visit, 'properties' | 'traits' | 'link_token' | 'signature'>;

/** What of it crosses the stream under seal. Properties too: nobody knows what a site puts there. */
export interface SecretPart {
  readonly properties?: Visit['properties'];
  readonly traits?: Visit['traits'];
  readonly link_token?: string;
  readonly signature?: string;
  readonly click_ids?: Readonly<Partial<Record<ClickIdKind, string>>>;
}

export type BadReason = VisitRefusal | ClockRefusal;

export type TakenVisit =
  | { readonly ok: true; readonly visit: OpenVisit; readonly secret: SecretPart | undefined }
  | { readonly ok: false; readonly reason: BadReason };

/** What of a visit is looked through for people. */
type Said = Pick<Visit, 'url' | 'name' | 'referrer'>;

interface Masked extends Said {
  readonly clickIds: NonNullable<SecretPart['click_ids']>;
}

/** What the visits of one request share: how much looking there is, and pages that were looked at. Most were reached from the same few. */
export class Masking {
  readonly #effort = new Effort();
  readonly #referrers = new Map<string, string>();

  mask({ url: page, name, referrer }: Said, ownHosts: readonly string[]): Masked {
    const { url, clickIds } = maskUrl(page, this.#effort);
    return {
      url,
      clickIds,
      ...(name !== undefined && { name: maskName(name, this.#effort) }),
      ...(referrer !== undefined && { referrer: this.#maskOnce(referrer, page, ownHosts) }),
    };
  }

  /** Which site the page is on decides how much of a referrer stays. */
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

/** For visits of which each was a request: none takes looking from another, and what says the same is looked at once. */
export class MaskingApart implements Pick<Masking, 'mask'> {
  readonly #known = new Map<string, Masked>();

  mask(said: Said, ownHosts: readonly string[]): Masked {
    // None of them can hold a NUL, or be empty.
    const key = `${said.url}\0${said.name ?? ''}\0${said.referrer ?? ''}`;
    let masked = this.#known.get(key);
    if (!masked) {
      masked = new Masking().mask(said, ownHosts);
      this.#known.set(key, masked);
    }
    return masked;
  }
}

/** Reads what a browser sent as one visit and parts it in two. The collector does it, and the replay of a bad row again. */
export function takeVisit(
  sent: unknown,
  receivedAt: Date,
  ownHosts: readonly string[],
  masking: Pick<Masking, 'mask'> = new Masking(),
): TakenVisit {
  const read = readVisit(sent);
  if (!read.ok) return read;
  const { properties: _p, traits: _t, link_token: _l, signature: _s, ...rest } = read.visit;
  const refusal = checkClock(rest.at, receivedAt);
  if (refusal) return { ok: false, reason: refusal };
  const { clickIds, ...masked } = masking.mask(rest, ownHosts);
  return { ok: true, visit: { ...rest, ...masked }, secret: secretOf(read.visit, clickIds) };
}

function secretOf(
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
