import type { VisitType } from '@tributary/vocabulary';
import { describe, expect, test } from 'vitest';
import { classifyVisit } from './channels.ts';
import { decideTouch } from './touch.ts';

const session_id = '019a0000-0000-7000-8000-000000000001';

interface TouchCase {
  readonly title: string;
  readonly query?: string;
  readonly referrer?: string;
  readonly isStart?: boolean;
  readonly type?: VisitType;
  readonly is: string | null;
}

function decide(
  { query = '', referrer, isStart = false, type = 'page_view' }: Omit<TouchCase, 'title' | 'is'>,
  session = session_id,
) {
  const visit = { type, session_id: session, is_session_start: isStart };
  return decideTouch(visit, classifyVisit({ url: `https://shop.example/?${query}`, referrer }));
}

const google = 'https://www.google.com/';
const own = 'https://shop.example/';
const stripe = 'https://checkout.stripe.com/';
const cases: readonly TouchCase[] = [
  { title: 'a direct entry', isStart: true, is: 'session_entry direct' },
  { title: 'an entry from a search', isStart: true, referrer: google, is: 'session_entry organic_search' },
  { title: 'an entry by an event', isStart: true, type: 'track', referrer: google, is: 'session_entry organic_search' },
  {
    title: 'an entry with a campaign',
    isStart: true,
    query: 'utm_source=fb&utm_medium=cpc',
    is: 'session_entry paid_social',
  },
  { title: 'a page in the middle of a session', referrer: own, is: null },
  { title: 'a page in the middle without a referrer', is: null },
  { title: 'returning from a search in the middle', referrer: google, is: null },
  { title: 'a campaign in the middle', query: 'utm_source=fb&utm_medium=cpc', is: 'campaign paid_social' },
  { title: 'an ad’s click in the middle', query: 'gclid=x', referrer: google, is: 'click_id paid_search' },
  { title: 'an event on the page of a campaign', type: 'track', query: 'utm_source=fb', is: null },
  { title: 'a link within the site that has tags', query: 'utm_source=banner', referrer: own, is: null },
  { title: 'an entry from the own site', isStart: true, referrer: own, is: null },
  {
    title: 'an entry from an own page that is not tracked',
    isStart: true,
    query: 'gclid=x',
    referrer: own,
    is: 'session_entry paid_search',
  },
  { title: 'returning from a payment', referrer: stripe, is: null },
  { title: 'returning from a payment that took long', isStart: true, referrer: stripe, is: null },
  {
    title: 'returning from a payment with the campaign’s tags',
    isStart: true,
    query: 'utm_source=fb',
    referrer: stripe,
    is: null,
  },
];

describe('decideTouch', () => {
  test.each(cases)('$title: $is', ({ is, ...visit }) => {
    const touch = decide(visit);
    expect(touch && `${touch.reason} ${touch.channel}`).toBe(is);
  });

  test('gives a reloaded page the same key, and another campaign or session another key', () => {
    const first = decide({ query: 'utm_source=fb&utm_campaign=a&fbclid=1', isStart: true })?.key;
    expect(decide({ query: 'fbclid=~click&utm_campaign=a&utm_source=fb' })?.key).toBe(first);
    expect(decide({ query: 'utm_source=fb&utm_campaign=b&fbclid=1' })?.key).not.toBe(first);
    expect(decide({ query: 'utm_source=fb&utm_campaign=a&fbclid=1' }, 'other')?.key).not.toBe(first);
  });
});
