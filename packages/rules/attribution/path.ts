import { dayMs, limits } from '@tributary/vocabulary';
import { declaredMedium } from '../visits/declared.ts';

/** Which touches a conversion has. Times are milliseconds since 1970. */

export interface Touch {
  readonly touchId: string;
  readonly at: number;
  /** Null for a touch without a session: a referral, a declared source. */
  readonly sessionId: string | null;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  /** '' where none is known: nobody paid, or nobody can tell. */
  readonly platform: string;
  readonly campaignId: string | null;
  readonly adSetId: string | null;
  readonly adId: string | null;
  /** The kind of click that it came by, named by the parameter of a link, and which click it was; missing where nobody can tell. */
  readonly clickKind?: string;
  readonly clickMark?: string;
  /** Made from what somebody told and no visit: an outcome that names its ad or click, a referral, a customer's own answer. */
  readonly isSynthetic?: boolean;
}

export interface Window {
  readonly at: number;
  readonly lookbackDays: number;
}

export interface Path {
  readonly touches: readonly Touch[];
  /** All touches of the window, also those that the path leaves out. */
  readonly touchCount: number;
}

const pathLength = limits.path.touches;
const sameClickMs = limits.sameClick.minutes * 60_000;

export function pathOf(conversion: Window, touches: readonly Touch[]): Path {
  const inWindow = touches.filter((touch) => isInWindow(touch, conversion)).sort(inOrder);
  const kept = withoutRepeats(withoutNeedlessAnswers(withoutToldTwice(inWindow)));
  const cut = kept.length <= pathLength ? kept : [...kept.slice(0, 1), ...kept.slice(1 - pathLength)];
  return { touches: cut, touchCount: kept.length };
}

/** Both ends belong to the window. */
export const isInWindow = (touch: Pick<Touch, 'at'>, { at, lookbackDays }: Window): boolean =>
  touch.at <= at && touch.at >= at - lookbackDays * dayMs;

/** By time; at the same moment by id, the way ClickHouse orders UUIDs: by their second half, then by their first. */
export const inOrder = (a: Touch, b: Touch): number => a.at - b.at || compare(orderOf(a.touchId), orderOf(b.touchId));

const orderOf = (uuid: string): string => {
  const hex = uuid.replaceAll('-', '').toLowerCase();
  return hex.slice(16) + hex.slice(0, 16);
};
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What led to the site is a touch already, by its visit: told once more, it would earn twice. */
function withoutToldTwice(touches: readonly Touch[]): readonly Touch[] {
  const visits = touches.filter(({ isSynthetic }) => !isSynthetic);
  return touches.filter((touch) => !touch.isSynthetic || !visits.some((visit) => isSameArrival(visit, touch)));
}

/** A customer's answer is a fallback: it takes no credit from an ad, a link or a search that is known to have brought them. */
function withoutNeedlessAnswers(touches: readonly Touch[]): readonly Touch[] {
  const isAnswer = ({ medium }: Touch) => medium === declaredMedium;
  const isMarketing = (touch: Touch) => !isAnswer(touch) && touch.channel !== 'direct';
  return touches.some(isMarketing) ? touches.filter((touch) => !isAnswer(touch)) : touches;
}

/** The same ad, the same click, a click of the same kind shortly before, or the source that the customer says to have come from. */
function isSameArrival(visit: Touch, told: Touch): boolean {
  if (told.adId !== null && visit.adId === told.adId) return true;
  if (told.clickMark !== undefined && visit.clickMark === told.clickMark) return true;
  if (told.medium === declaredMedium && visit.source === told.source) return true;
  const before = told.at - visit.at;
  return told.clickKind !== undefined && visit.clickKind === told.clickKind && before >= 0 && before <= sameClickMs;
}

/** A landing page opened twice in one session is one touch, the earliest in the window. */
function withoutRepeats(touches: readonly Touch[]): Touch[] {
  const seen = new Set<string>();
  return touches.filter((touch) => {
    const key = repeatKey(touch);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

const repeatKey = (touch: Touch): string => {
  const { touchId, sessionId, channel, source, medium, platform, campaignId, adSetId, adId } = touch;
  return JSON.stringify([sessionId ?? touchId, channel, source, medium, platform, campaignId, adSetId, adId]);
};
