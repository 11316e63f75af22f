import type { GoogleClient } from '../google-oauth.ts';

export interface GoogleAdsSettings extends GoogleClient {
  readonly developerToken: string;
  /** https://googleads.googleapis.com */
  readonly adsUrl: string;
  /** v25. A major version comes about each quarter and lives a year. */
  readonly apiVersion: string;
  /** https://datamanager.googleapis.com */
  readonly dataManagerUrl: string;
}
