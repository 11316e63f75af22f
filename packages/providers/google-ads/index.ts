import { GoogleCredentials } from '../google-oauth.ts';
import type { Provider } from '../provider.ts';
import { createBooks } from './account-totals.ts';
import { createAdsApi } from './api.ts';
import { createConnect } from './connect.ts';
import { createExport } from './export.ts';
import { createAct } from './run-action.ts';
import type { GoogleAdsSettings } from './settings.ts';
import { type GoogleAdsPosition, sync } from './sync.ts';

export type { GoogleAdsSettings } from './settings.ts';

export function createGoogleAds(settings: GoogleAdsSettings): Provider<GoogleCredentials, GoogleAdsPosition> {
  const api = createAdsApi(settings);
  return {
    facts: {
      channel: 'search_ads',
      name: 'Google Ads',
      neededToWrite: ['https://www.googleapis.com/auth/adwords'],
    },
    credentials: GoogleCredentials,
    connect: createConnect(settings, api),
    sync: (account, from, call) => sync(api, account, from, call),
    act: createAct(api),
    export: createExport(settings),
    books: createBooks(api),
  };
}
