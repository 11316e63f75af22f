export interface MetaSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** https://graph.facebook.com */
  readonly apiUrl: string;
  /** https://www.facebook.com */
  readonly dialogUrl: string;
  /** v26.0. Meta retires a version after about a year. */
  readonly apiVersion: string;
}
