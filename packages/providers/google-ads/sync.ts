import { addDays, dayIn, daysBetween, earlier } from '../days.ts';
import type { GoogleCredentials } from '../google-oauth.ts';
import type { Account, Call, SyncPage } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type AdsApi, customerOf } from './api.ts';
import { type ReadName, reads } from './reads.ts';

/**
 * The current query and its page; delivery is read in windows of days. A page token is a cursor within a result and grants no
 * access.
 */
export type GoogleAdsPosition =
  | {
      readonly stage: ReadName;
      readonly pageToken?: string;
      readonly restatedOn: string | null;
      readonly first: string;
      readonly last: string;
      readonly since: string;
    }
  | { readonly stage: 'done'; readonly restatedOn: string };
type Reading = Exclude<GoogleAdsPosition, { stage: 'done' }>;

const firstDays = 90;
/**
 * Conversions are attributed back to the day of the click, so these days are read again once a day, and the last two at every
 * sync.
 */
const restatedDays = 30;
const windowDays = 30;
const stages: readonly ReadName[] = ['campaigns', 'ad_groups', 'ads', 'ad_days', 'campaign_days'];
const inWindows: readonly ReadName[] = ['ad_days', 'campaign_days'];

export async function* sync(
  api: AdsApi,
  account: Account<GoogleCredentials>,
  from: GoogleAdsPosition | null,
  call: Call,
): AsyncGenerator<SyncPage<GoogleAdsPosition>> {
  let position: GoogleAdsPosition = from !== null && from.stage !== 'done' ? from : begin(account, from, call.now);
  while (position.stage !== 'done') {
    const page: SyncPage<GoogleAdsPosition> = await readPage(api, account, position, call);
    yield page;
    position = page.position;
  }
}

function begin(account: Account<GoogleCredentials>, from: GoogleAdsPosition | null, now: Date): Reading {
  const last = dayIn(account.details.timeZone ?? 'UTC', now);
  const restatedOn = from?.restatedOn ?? null;
  const backDays =
    restatedOn === null ? firstDays : restatedOn < last ? restatedDays + daysBetween(restatedOn, last) : 2;
  const first = addDays(last, 1 - Math.min(backDays, firstDays));
  return { stage: 'campaigns', restatedOn, first, last, since: first };
}

async function readPage(
  api: AdsApi,
  account: Account<GoogleCredentials>,
  at: Reading,
  call: Call,
): Promise<SyncPage<GoogleAdsPosition>> {
  const until = earlier(addDays(at.since, windowDays - 1), at.last);
  const { query, parse } = reads[at.stage];
  const { accessToken } = account.credentials;
  const { pageToken: before, ...here } = at;
  try {
    const answer = await api.search(customerOf(account), query({ since: at.since, until }), before, accessToken, call);
    const records = answer.results.map((row) => parse(row, account.details.currency ?? ''));
    const token = answer.nextPageToken;
    const position: GoogleAdsPosition = token ? { ...here, pageToken: token } : nextPosition(here, until);
    return { records: records, position, progress: progressOf(position) };
  } catch (error) {
    // Page tokens expire; the query is then restarted.
    if (before === undefined || !isForgotten(error)) throw error;
    return { records: [], position: here, progress: progressOf(here) };
  }
}

function nextPosition(at: Reading, until: string): GoogleAdsPosition {
  if (inWindows.includes(at.stage) && until < at.last) return { ...at, since: addDays(until, 1) };
  const next = stages[stages.indexOf(at.stage) + 1];
  return next ? { ...at, stage: next, since: at.first } : { stage: 'done', restatedOn: at.last };
}

function progressOf(at: GoogleAdsPosition): number {
  if (at.stage === 'done') return 1;
  const within = inWindows.includes(at.stage)
    ? daysBetween(at.first, at.since) / (daysBetween(at.first, at.last) + 1)
    : 0;
  return (stages.indexOf(at.stage) + within) / stages.length;
}

const isForgotten = (error: unknown): boolean =>
  error instanceof ProviderFault && error.details.code.includes('PAGE_TOKEN');
