import {
  type ClickIdKind,
  type ClockRefusal,
  checkClock,
  maskReferrer,
  maskUrl,
  readVisit,
  type Visit,
  type VisitRefusal,
} from '@tributary/rules';

/** What of a visit may be seen by whoever reads the stream: no person, no token, addresses masked. */
export type OpenVisit = Omit<Visit, 'properties' | 'traits' | 'link_token'>;

/** What of it crosses the stream under seal. Properties too: nobody knows what a site puts there. */
export interface SecretPart {
  readonly properties?: Visit['properties'];
  readonly traits?: Visit['traits'];
  readonly link_token?: string;
  readonly click_ids?: Readonly<Partial<Record<ClickIdKind, string>>>;
}

export type BadReason = VisitRefusal | ClockRefusal;

export type TakenVisit =
  | { readonly ok: true; readonly visit: OpenVisit; readonly secret: SecretPart | undefined }
  | { readonly ok: false; readonly reason: BadReason };

/** Reads what a browser sent as one visit and parts it in two. The collector does it, and the replay of a bad row again. */
export function takeVisit(sent: unknown, receivedAt: string, ownHosts: readonly string[]): TakenVisit {
  const read = readVisit(sent);
  if (!read.ok) return read;
  const { properties, traits, link_token, ...rest } = read.visit;
  const refusal = checkClock(rest.at, receivedAt);
  if (refusal) return { ok: false, reason: refusal };
  const { url, clickIds } = maskUrl(rest.url);
  const referrer = rest.referrer && maskReferrer(rest.referrer, rest.url, ownHosts);
  const visit: OpenVisit = { ...rest, url, ...(rest.referrer && { referrer: referrer as string }) };
  return { ok: true, visit, secret: secretOf(properties, traits, link_token, clickIds) };
}

function secretOf(
  properties: Visit['properties'],
  traits: Visit['traits'],
  link_token: string | undefined,
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
    ...(hasClickIds && { click_ids: clickIds }),
  };
}
