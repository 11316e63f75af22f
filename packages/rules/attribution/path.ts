import { dayMs, limits } from '@tributary/vocabulary';
import { declaredMedium } from '../visits/declared.ts';

/** Selects the touches of a conversion. Times are milliseconds since 1970. */

export interface Touch {
  readonly touchId: string;
  readonly at: number;
  /** Null for a touch without a session: a referral, a declared source. */
  readonly sessionId: string | null;
  readonly channel: string;
  readonly source: string;
  readonly medium: string;
  /** '' for an unpaid touch or an unknown platform. */
  readonly platform: string;
  readonly campaignId: string | null;
  readonly adSetId: string | null;
  readonly adId: string | null;
  /** The type of its click id, named by the URL parameter, and which click it was; missing when unknown. */
  readonly clickKind?: string;
  readonly clickMark?: string;
  /**
   * Created from a report instead of a visit: an outcome that names its ad or click, a partner referral, or a
   * customer's answer.
   */
  readonly isSynthetic?: boolean;
}

export interface Window {
  readonly at: number;
  readonly lookbackDays: number;
}

export interface Path {
  readonly touches: readonly Touch[];
  /** The number of touches in the window, including those that the path leaves out. */
  readonly touchCount: number;
}

const pathLength = limits.path.touches;
const sameClickMs = limits.sameClick.minutes * 60_000;

export function pathOf(conversion: Window, touches: readonly Touch[]): Path {
  const inWindow = touches.filter((touch) => isInWindow(touch, conversion)).sort(inOrder);
  const touchesOfWindow = withoutRepeats(withoutRedundantAnswers(withoutReportedVisits(inWindow)));
  const pathTouches =
    touchesOfWindow.length <= pathLength
      ? touchesOfWindow
      : [...touchesOfWindow.slice(0, 1), ...touchesOfWindow.slice(1 - pathLength)];
  return { touches: pathTouches, touchCount: touchesOfWindow.length };
}

/** The window includes both ends. */
export const isInWindow = (touch: Pick<Touch, 'at'>, { at, lookbackDays }: Window): boolean =>
  touch.at <= at && touch.at >= at - lookbackDays * dayMs;

/** By time, then by id in the order in which ClickHouse sorts UUIDs: by their second half, then by their first. */
export const inOrder = (a: Touch, b: Touch): number => a.at - b.at || compare(orderOf(a.touchId), orderOf(b.touchId));

const orderOf = (uuid: string): string => {
  const hex = uuid.replaceAll('-', '').toLowerCase();
  return hex.slice(16) + hex.slice(0, 16);
};
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Removes reported touches whose arrival is already a visit: it would be credited twice. */
function withoutReportedVisits(touches: readonly Touch[]): readonly Touch[] {
  const visits = touches.filter(({ isSynthetic }) => !isSynthetic);
  return touches.filter((touch) => !touch.isSynthetic || !visits.some((visit) => isSameArrival(visit, touch)));
}

/** A customer's answer is a fallback: it receives no credit if a known non-direct touch exists. */
function withoutRedundantAnswers(touches: readonly Touch[]): readonly Touch[] {
  const isAnswer = ({ medium }: Touch) => medium === declaredMedium;
  const isMarketing = (touch: Touch) => !isAnswer(touch) && touch.channel !== 'direct';
  return touches.some(isMarketing) ? touches.filter((touch) => !isAnswer(touch)) : touches;
}

/** The same ad, the same click, the same click type shortly before, or the source that the customer declared. */
function isSameArrival(visit: Touch, reported: Touch): boolean {
  if (reported.adId !== null && visit.adId === reported.adId) return true;
  if (reported.clickMark !== undefined && visit.clickMark === reported.clickMark) return true;
  if (reported.medium === declaredMedium && visit.source === reported.source) return true;
  const before = reported.at - visit.at;
  return (
    reported.clickKind !== undefined && visit.clickKind === reported.clickKind && before >= 0 && before <= sameClickMs
  );
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
