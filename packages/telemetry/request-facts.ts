/** What logs, metrics and traces may know of a request: which operation, for whom, how it ended. Nothing of what was sent. */
export interface RequestFacts {
  readonly requestId: string;
  readonly route: { readonly id: string; readonly path: string } | undefined;
  readonly caller: { readonly kind: string; readonly credentialId: string; readonly profileId?: string } | undefined;
  readonly errorCode: string | undefined;
}
