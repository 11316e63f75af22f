/** Joins a path to BASE_URL, which may end with a slash. */
const joinUrl = (baseUrl: string, path: string): string => `${baseUrl.replace(/\/+$/, '')}${path}`;

/**
 * Every URL that the product hands out. They are built only here: tests/handed-out-links.test.ts rejects other places, and
 * tests/e2e/handed-out-urls.test.ts opens each of them.
 */
export const links = {
  /** The secret follows the #, so that no server, proxy or log sees it. */
  invitation: (baseUrl: string, token: string): string => joinUrl(baseUrl, `/invitation#${token}`),
  passwordReset: (baseUrl: string, token: string): string => joinUrl(baseUrl, `/reset-password#${token}`),
  sharedView: (baseUrl: string, secret: string): string => joinUrl(baseUrl, `/shared#${secret}`),
  firstAccount: (baseUrl: string, token: string): string => joinUrl(baseUrl, `/first-account#${token}`),
  connect: (baseUrl: string, capability: string): string => joinUrl(baseUrl, `/connect/${capability}`),
  startConnect: (baseUrl: string, capability: string): string => joinUrl(baseUrl, `/connect/${capability}/start`),
  /** The redirect URI that is registered at the provider. */
  connectCallback: (baseUrl: string, provider: string): string => joinUrl(baseUrl, `/connect/callback/${provider}`),
  /** A console page of a profile. */
  profilePage: (baseUrl: string, profileId: string, page: string): string =>
    joinUrl(baseUrl, `/p/${profileId}/${page}`),
  docs: (baseUrl: string): string => joinUrl(baseUrl, '/docs'),
  errorDocs: (baseUrl: string, code: string): string => joinUrl(baseUrl, `/docs/errors/${code}`),
  readiness: (baseUrl: string): string => joinUrl(baseUrl, '/readyz'),
  /** A route of the API; its path starts with a slash. */
  route: (baseUrl: string, path: string): string => joinUrl(baseUrl, path),
  assistantConsent: (baseUrl: string): string => joinUrl(baseUrl, '/oauth2/consent'),
  /** The MCP server, which is also the audience of assistants' tokens. */
  assistants: (baseUrl: string): string => `${new URL(baseUrl).origin}/mcp`,
  assistantsMetadata: (baseUrl: string): string =>
    `${new URL(baseUrl).origin}/.well-known/oauth-protected-resource/mcp`,
  /** The tracker script, served by the collector or a tracking domain. */
  trackerScript: (origin: string): string => joinUrl(origin, '/t.js'),
} as const;
