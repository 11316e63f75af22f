import { z } from 'zod';
import type { GoogleCredentials } from '../google-oauth.ts';
import type { Account, Call } from '../provider.ts';
import { readAs } from '../read-answer.ts';
import { baseOf, requestJson } from '../request-json.ts';
import { faultOf } from './faults.ts';
import type { GoogleAdsSettings } from './settings.ts';

const Page = z.object({ results: z.array(z.unknown()).default([]), nextPageToken: z.string().optional() });
const Stream = z.array(Page);
const Accessible = z.object({ resourceNames: z.array(z.string()).default([]) });

/** The customer that a call is for, and the manager account that gives access to it. */
export interface Customer {
  readonly id: string;
  readonly loginId?: string | undefined;
}

export const customerOf = ({ externalId, details }: Account<GoogleCredentials>): Customer => ({
  id: externalId,
  loginId: details.loginCustomerId,
});

export type AdsApi = ReturnType<typeof createAdsApi>;

/** Google Ads over REST: two kinds of search, and mutations. */
export function createAdsApi(settings: GoogleAdsSettings) {
  const base = `${baseOf(settings.adsUrl)}/${settings.apiVersion}`;
  const headersFor = (token: string, loginId?: string) => ({
    authorization: `Bearer ${token}`,
    'developer-token': settings.developerToken,
    'content-type': 'application/json',
    ...(loginId !== undefined && { 'login-customer-id': loginId }),
  });
  const post = async <T>(
    schema: z.ZodType<T>,
    at: Customer,
    verb: string,
    body: unknown,
    token: string,
    call: Call,
  ) => {
    const url = `${base}/customers/${encodeURIComponent(at.id)}/${verb}`;
    const headers = headersFor(token, at.loginId);
    return (await requestJson({ method: 'POST', url, headers, body: JSON.stringify(body) }, schema, call, faultOf))
      .body;
  };

  return {
    async accessible(token: string, call: Call): Promise<string[]> {
      const request = {
        method: 'GET',
        url: `${base}/customers:listAccessibleCustomers`,
        headers: headersFor(token),
      } as const;
      const { body } = await requestJson(request, Accessible, call, faultOf);
      return body.resourceNames.map((name) => name.replace(/^customers\//, ''));
    },

    /** Returns a page of up to 10,000 rows. */
    search: (at: Customer, query: string, pageToken: string | undefined, token: string, call: Call) =>
      post(Page, at, 'googleAds:search', { query, ...(pageToken !== undefined && { pageToken }) }, token, call),

    /** Returns all rows at once, for small results. */
    async all<T>(row: z.ZodType<T>, at: Customer, query: string, token: string, call: Call): Promise<T[]> {
      const chunks = await post(Stream, at, 'googleAds:searchStream', { query }, token, call);
      return chunks.flatMap(({ results }) => results.map((one) => readAs(row, one, 'row')));
    },

    /** Changes one resource. */
    mutate: (
      at: Customer,
      resource: 'campaigns' | 'adGroups' | 'adGroupAds' | 'campaignBudgets',
      update: Readonly<Record<string, unknown>>,
      updateMask: string,
      token: string,
      call: Call,
    ) => post(z.unknown(), at, `${resource}:mutate`, { operations: [{ update, updateMask }] }, token, call),
  };
}
