/** Operators write BASE_URL with and without a slash at its end. */
const under = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}${path}`;

/**
 * Every address that the product hands out, built here only: tests/handed-out-links.test.ts refuses other places, and
 * tests/e2e/handed-out-urls.test.ts opens each of these as its reader would.
 */
export const links = {
  /** The secret follows the #, so that no server, proxy or log on the way sees it. */
  invitation: (baseUrl: string, token: string): string => under(baseUrl, `/invitation#${token}`),
  passwordReset: (baseUrl: string, token: string): string => under(baseUrl, `/reset-password#${token}`),
  sharedView: (baseUrl: string, secret: string): string => under(baseUrl, `/shared#${secret}`),
  firstAccount: (baseUrl: string, token: string): string => under(baseUrl, `/first-account#${token}`),
  connect: (baseUrl: string, capability: string): string => under(baseUrl, `/connect/${capability}`),
  startConnect: (baseUrl: string, capability: string): string => under(baseUrl, `/connect/${capability}/start`),
  /** Where a provider sends the browser back to; registered at the provider. */
  connectCallback: (baseUrl: string, provider: string): string => under(baseUrl, `/connect/callback/${provider}`),
  /** A console page of a profile. */
  profilePage: (baseUrl: string, profileId: string, page: string): string => under(baseUrl, `/p/${profileId}/${page}`),
  docs: (baseUrl: string): string => under(baseUrl, '/docs'),
  errorDocs: (baseUrl: string, code: string): string => under(baseUrl, `/docs/errors/${code}`),
  readiness: (baseUrl: string): string => under(baseUrl, '/readyz'),
  /** A route of the API: its path begins with a slash. */
  route: (baseUrl: string, path: string): string => under(baseUrl, path),
  assistantConsent: (baseUrl: string): string => under(baseUrl, '/oauth2/consent'),
  /** The MCP server, which is also what the tokens of assistants are issued for. */
  assistants: (baseUrl: string): string => `${new URL(baseUrl).origin}/mcp`,
  assistantsMetadata: (baseUrl: string): string =>
    `${new URL(baseUrl).origin}/.well-known/oauth-protected-resource/mcp`,
  /** The tracker as the collector or a tracking domain serves it. */
  trackerScript: (origin: string): string => under(origin, '/t.js'),
} as const;
