import { z } from 'zod';
import { createGoogleOAuth, type GoogleCredentials } from '../google-oauth.ts';
import type { Call, Candidate, Connect } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import type { AdsApi } from './api.ts';
import type { GoogleAdsSettings } from './settings.ts';

export const adsScope = 'https://www.googleapis.com/auth/adwords';
export const dataManagerScope = 'https://www.googleapis.com/auth/datamanager';

const Client = z.object({
  customerClient: z.object({
    id: z.string(),
    descriptiveName: z.string().optional(),
    currencyCode: z.string().default(''),
    timeZone: z.string().default('UTC'),
    manager: z.boolean().default(false),
    status: z.string().optional(),
    hidden: z.boolean().default(false),
  }),
});
const clients =
  'SELECT customer_client.id, customer_client.descriptive_name, customer_client.currency_code, customer_client.time_zone, customer_client.manager, customer_client.level, customer_client.status, customer_client.hidden, customer_client.test_account FROM customer_client';
const Conversions = z.object({
  customer: z.object({
    conversionTrackingSetting: z.object({ googleAdsConversionCustomer: z.string().optional() }).optional(),
  }),
});
const conversionCustomer = 'SELECT customer.conversion_tracking_setting.google_ads_conversion_customer FROM customer';

/** A user with access to more accounts has to connect with a login that has access to fewer. */
const maxRoots = 50;

export function createConnect(settings: GoogleAdsSettings, api: AdsApi): Connect<GoogleCredentials> {
  return {
    ...createGoogleOAuth(settings, [adsScope, dataManagerScope]),

    /** Accounts that contain ads, each with the manager that gives access to it. Managers contain none. */
    async candidates({ accessToken, granted }, call) {
      if (!granted.includes(adsScope)) return [];
      const rootIds = await api.accessible(accessToken, call);
      const found = new Map<string, Candidate<GoogleCredentials>>();
      for (const rootId of rootIds.slice(0, maxRoots)) {
        for (const { customerClient: client } of await clientsBelow(rootId, accessToken, call)) {
          if (client.manager || client.hidden || client.status !== 'ENABLED' || found.has(client.id)) continue;
          const own = rootId === client.id ? {} : { loginCustomerId: rootId };
          found.set(client.id, {
            externalId: client.id,
            name: client.descriptiveName ?? client.id,
            granted,
            details: { currency: client.currencyCode, timeZone: client.timeZone, ...own },
          });
        }
      }
      return Promise.all([...found.values()].map((one) => withConversionOwner(one, accessToken, call)));
    },
  };

  /** One inaccessible account, for example a cancelled one, must not hide the others. */
  async function clientsBelow(rootId: string, token: string, call: Call) {
    try {
      return await api.all(Client, { id: rootId, loginId: rootId }, clients, token, call);
    } catch (error) {
      if (error instanceof ProviderFault && error.details.verdict === 'needs_action') return [];
      throw error;
    }
  }

  /** The conversions may belong to a manager; exports go to that customer. */
  async function withConversionOwner(candidate: Candidate<GoogleCredentials>, token: string, call: Call) {
    const at = { id: candidate.externalId, loginId: candidate.details.loginCustomerId };
    const [row] = await api.all(Conversions, at, conversionCustomer, token, call);
    const owner = row?.customer.conversionTrackingSetting?.googleAdsConversionCustomer?.replace(/^customers\//, '');
    if (owner === undefined || owner === candidate.externalId) return candidate;
    return { ...candidate, details: { ...candidate.details, conversionCustomerId: owner } };
  }
}
