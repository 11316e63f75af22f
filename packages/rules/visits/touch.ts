import type { Classification } from './channels.ts';
import type { Visit } from './read-visit.ts';

/**
 * Decides from a visit alone whether it is a touch. Visits before it, after it or received twice have no influence, so a replay in
 * any order gives the same touches.
 *
 * - The first visit of a session is a touch, also a direct one.
 * - A page opened from outside in the middle of a session is a touch if it has campaign parameters or a click id.
 * - Returning from a payment or login page is not a touch, even if the URL still has the campaign's tags.
 * - Coming from the own site is not a touch, unless the session begins there and the URL names a campaign: then the previous page
 *   is not tracked, and this is the first visit of that click.
 */

export interface Touch {
  readonly reason: 'session_entry' | 'campaign' | 'click_id';
  /**
   * Equal for equal arrivals within one session. A reload has the same key, so it can be recognised without a lookup:
   * a session has at most one touch per key.
   */
  readonly key: string;
  readonly channel: Classification['channel'];
  readonly isDirect: boolean;
}

export function decideTouch(
  visit: Pick<Visit, 'type' | 'session_id' | 'is_session_start'>,
  classification: Classification,
): Touch | null {
  const { channel, isDirect, isRedirectReturn, isFromOwnSite, hasCampaign, hasClickId } = classification;
  const isNamed = hasCampaign || hasClickId;
  if (isRedirectReturn) return null;
  if (isFromOwnSite && !(visit.is_session_start && isNamed)) return null;
  // An event within a page has the page's URL; only the page view is an arrival.
  if (!visit.is_session_start && !(isNamed && visit.type === 'page_view')) return null;
  const reason = visit.is_session_start ? 'session_entry' : hasCampaign ? 'campaign' : 'click_id';
  return { reason, key: keyOf(visit.session_id, classification), channel, isDirect };
}

function keyOf(sessionId: string, { source, medium, utm, ...named }: Classification): string {
  const { clickIdKind, campaignExternalId, adSetExternalId, adExternalId } = named;
  const parts = [source, medium, clickIdKind, campaignExternalId, adSetExternalId, adExternalId];
  return JSON.stringify([sessionId, ...parts, utm.campaign, utm.term, utm.content, utm.id]);
}
