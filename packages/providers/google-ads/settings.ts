import type { GoogleClient } from '../google-oauth.ts';

export interface GoogleAdsSettings extends GoogleClient {
  readonly developerToken: string;
  /** https://googleads.googleapis.com */
  readonly adsUrl: string;
  /** v25. A new major version appears about every quarter and is supported for a year. */
  readonly apiVersion: string;
  /** https://datamanager.googleapis.com */
  readonly dataManagerUrl: string;
}
