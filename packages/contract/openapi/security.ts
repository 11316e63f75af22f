import { type CredentialKind, credentialKinds } from '@tributary/vocabulary';

/** How each kind of credential is sent. `public` means none. */
const schemes = {
  api_key: { type: 'http', scheme: 'bearer' },
  session: { type: 'apiKey', in: 'cookie', name: '__Host-session' },
  mcp: { type: 'http', scheme: 'bearer' },
  app: { type: 'http', scheme: 'bearer' },
  client_secret: { type: 'http', scheme: 'basic' },
  shared_link: { type: 'http', scheme: 'bearer' },
  tracking_key: { type: 'apiKey', in: 'query', name: 'key' },
} as const satisfies Record<Exclude<CredentialKind, 'public'>, object>;

export const isSentAsBearer = (kind: CredentialKind): boolean =>
  kind !== 'public' && 'scheme' in schemes[kind] && schemes[kind].scheme === 'bearer';

export type SecurityRequirement = Record<string, never[]>;

/** Any one of the schemes is sufficient. OpenAPI cannot express alternative scopes, so `x-required-scopes` lists them. */
export function securityOf(credentials: readonly CredentialKind[]): SecurityRequirement[] {
  if (credentials.every((kind) => kind === 'public')) return [];
  return credentials.map((kind) => (kind === 'public' ? {} : { [kind]: [] }));
}

/** Only the schemes in use: an unused scheme would be misleading. */
export function securitySchemes(inUse: ReadonlySet<CredentialKind>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(schemes)
      .filter(([kind]) => inUse.has(kind as CredentialKind))
      .map(([kind, scheme]) => [kind, { ...scheme, description: credentialKinds[kind as CredentialKind] }]),
  );
}
