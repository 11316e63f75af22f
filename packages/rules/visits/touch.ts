import type { Classification } from './channels.ts';
import type { Visit } from './read-visit.ts';

/**
 * Whether a visit is a touch, decided from the visit alone: what arrived before it, after it or twice plays no part, so a
 * replay in any order gives the same touches.
 *
 * - A session's entry is one, a direct entry too.
 * - In the middle of a session a page opened from outside is one if it brings campaign parameters or a click id.
 * - Coming back from paying or logging in is none, even where the address still carries the campaign's tags.
 * - Coming from the own site is none, unless the session begins there and the address names a campaign: then the page before
 *   was ours but is not tracked, and this is the first we hear of the click.
 */

export interface Touch {
  readonly reason: 'session_entry' | 'campaign' | 'click_id';
  /**
   * Equal for equal arrivals within one session. A page that is loaded again says the same as before, and only by this can it
   * be told from a new arrival without looking elsewhere: a session has at most one touch of each key.
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
  // An event within a page has the page's address; only the page view is an arrival.
  if (!visit.is_session_start && !(isNamed && visit.type === 'page_view')) return null;
  const reason = visit.is_session_start ? 'session_entry' : hasCampaign ? 'campaign' : 'click_id';
  return { reason, key: keyOf(visit.session_id, classification), channel, isDirect };
}

function keyOf(sessionId: string, { source, medium, utm, ...named }: Classification): string {
  const { clickIdKind, campaignExternalId, adSetExternalId, adExternalId } = named;
  const said = [source, medium, clickIdKind, campaignExternalId, adSetExternalId, adExternalId];
  return JSON.stringify([sessionId, ...said, utm.campaign, utm.term, utm.content, utm.id]);
}
