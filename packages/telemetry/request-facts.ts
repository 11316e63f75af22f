/**
 * What logs, metrics and traces may contain about a request: its operation, its caller and its outcome, and no
 * request content.
 */
export interface RequestFacts {
  readonly requestId: string;
  readonly route: { readonly id: string; readonly path: string } | undefined;
  readonly caller: { readonly kind: string; readonly credentialId: string; readonly profileId?: string } | undefined;
  readonly errorCode: string | undefined;
}
