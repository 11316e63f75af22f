import type { Arrival, Browser, Market, Touch } from '@tributary/market';
import { nilUuid } from '@tributary/vocabulary';

/** In the order of the written fields. Omitted columns get the table's default. */
export const touchColumns = [
  'profile_id',
  'visitor_id',
  'occurred_at',
  'touch_id',
  'session_id',
  'channel',
  'source',
  'medium',
  'platform',
  'campaign_id',
  'ad_set_id',
  'ad_id',
  'click_id_kind',
  'join_method',
  'country',
  'device',
];

/** Writes touches as tab-separated values for ClickHouse. The fields of an arrival are the same every time, so they are formatted once. */
export function touchWriter({ profileId }: Market): (browser: Browser, touches: readonly Touch[]) => string {
  const tails = new Map<Arrival, string>();
  const tailOf = (arrival: Arrival): string => {
    const cached = tails.get(arrival);
    if (cached !== undefined) return cached;
    const { campaign, adSet, ad } = arrival.named;
    const tail = [
      arrival.channel,
      arrival.source,
      arrival.medium,
      arrival.platform,
      campaign?.id ?? nilUuid,
      adSet?.id ?? nilUuid,
      ad?.id ?? nilUuid,
      arrival.clickIdKind,
      campaign || ad ? 'url_parameters' : '',
    ].join('\t');
    tails.set(arrival, tail);
    return tail;
  };
  return ({ visitorId, country, device }, touches) => {
    let lines = '';
    for (const { at, id, sessionId, arrival, copies } of touches) {
      const line = `${profileId}\t${visitorId}\t${secondsOf(at)}\t${id}\t${sessionId}\t${tailOf(arrival)}\t${country}\t${device}\n`;
      lines += copies === 1 ? line : line.repeat(copies);
    }
    return lines;
  };
}

const thousandths: readonly string[] = Array.from({ length: 1_000 }, (_, ms) => String(ms).padStart(3, '0'));

/** Unix time with three decimals, which costs a tenth of formatting a date. */
const secondsOf = (at: number): string => `${Math.floor(at / 1_000)}.${thousandths[at % 1_000]}`;
