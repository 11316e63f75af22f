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

/** A person who may enter more is asked to connect with a login of fewer. */
const mostEntrances = 50;

export function createConnect(settings: GoogleAdsSettings, api: AdsApi): Connect<GoogleCredentials> {
  return {
    ...createGoogleOAuth(settings, [adsScope, dataManagerScope]),

    /** Accounts that hold ads, each with the manager that leads there. Managers hold none. */
    async candidates({ accessToken, granted }, call) {
      if (!granted.includes(adsScope)) return [];
      const entrances = await api.accessible(accessToken, call);
      const found = new Map<string, Candidate<GoogleCredentials>>();
      for (const entrance of entrances.slice(0, mostEntrances)) {
        for (const { customerClient: client } of await clientsBelow(entrance, accessToken, call)) {
          if (client.manager || client.hidden || client.status !== 'ENABLED' || found.has(client.id)) continue;
          const own = entrance === client.id ? {} : { loginCustomerId: entrance };
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

  /** An entrance that is closed, as a cancelled account's is, does not close the others. */
  async function clientsBelow(entrance: string, token: string, call: Call) {
    try {
      return await api.all(Client, { id: entrance, loginId: entrance }, clients, token, call);
    } catch (error) {
      if (error instanceof ProviderFault && error.details.verdict === 'needs_action') return [];
      throw error;
    }
  }

  /** Conversions may belong to a manager: exports go there. */
  async function withConversionOwner(candidate: Candidate<GoogleCredentials>, token: string, call: Call) {
    const at = { id: candidate.externalId, loginId: candidate.details.loginCustomerId };
    const [row] = await api.all(Conversions, at, conversionCustomer, token, call);
    const owner = row?.customer.conversionTrackingSetting?.googleAdsConversionCustomer?.replace(/^customers\//, '');
    if (owner === undefined || owner === candidate.externalId) return candidate;
    return { ...candidate, details: { ...candidate.details, conversionCustomerId: owner } };
  }
}
