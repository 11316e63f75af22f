import type { Postgres } from '@tributary/postgres';
import { browserVisit, buildProfile, buildTrackingKey } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';

const pages = [
  'shoes/runner-3?size=42&color=blue',
  'cart',
  'checkout/step-2',
  'blog/how-to-choose#comments',
  'search?q=red+shoes&page=2',
];

/** The tracking key of a profile whose plan includes as many visits as a bench sends. */
export async function openTracked(app: Postgres): Promise<string> {
  const profile = await buildProfile(app);
  const { key } = await buildTrackingKey(app, profile.id, { allowedHosts: ['shop.example'] });
  await app
    .forWorkspace(profile.workspaceId)
    .transaction((tx) =>
      tx.updateTable('workspaces').set({ plan: 'scale' }).where('id', '=', profile.workspaceId).execute(),
    );
  return key;
}

/** A landing page with campaign tags, and pages after it. */
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

/** Each request comes from another browser with another address. */
export function makeRequest(key: string, visits: number): Buffer {
  const body = JSON.stringify({ key, client_id: uuid(), visits: makeVisits(visits) });
  const address = Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 220)).join('.');
  return Buffer.from(
    `POST /v1/visits HTTP/1.1\r\nHost: collector\r\nOrigin: https://www.shop.example\r\nContent-Type: text/plain\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}
