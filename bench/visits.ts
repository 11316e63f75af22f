import { browserVisit } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';

const pages = [
  'shoes/runner-3?size=42&color=blue',
  'cart',
  'checkout/step-2',
  'blog/how-to-choose#comments',
  'search?q=red+shoes&page=2',
];

/** A landing with campaign tags, and pages after it. */
export function makeVisits(count: number) {
  const session_id = uuid();
  return Array.from({ length: count }, (_, place) =>
    browserVisit(new Date(), {
      session_id,
      is_session_start: place === 0,
      url:
        place === 0
          ? 'https://shop.example/shoes?utm_source=facebook&utm_medium=paid_social&utm_campaign=spring&campaign_id=120200000000000001&fbclid=IwAR0aBcDeFgHiJkLmNoPqRsTuVwXyZ'
          : `https://shop.example/${pages[place % pages.length]}`,
      referrer: place === 0 ? 'https://l.facebook.com/' : 'https://shop.example/shoes',
    }),
  );
}
