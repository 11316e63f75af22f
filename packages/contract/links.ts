/** Every address that the product hands out, built here only: tests/e2e opens each of them as its reader would. */
export const links = {
  /** The secret follows the #, so that no server, proxy or log on the way sees it. */
  invitation: (baseUrl: string, token: string): string => `${baseUrl}/invitation#${token}`,
  passwordReset: (baseUrl: string, token: string): string => `${baseUrl}/reset-password#${token}`,
  sharedView: (baseUrl: string, secret: string): string => `${baseUrl}/shared#${secret}`,
  firstAccount: (baseUrl: string, token: string): string => `${baseUrl}/first-account?token=${token}`,
  connect: (baseUrl: string, capability: string): string => `${baseUrl}/connect/${capability}`,
  startConnect: (baseUrl: string, capability: string): string => `${baseUrl}/connect/${capability}/start`,
  /** A console page of a profile. */
  profilePage: (baseUrl: string, profileId: string, page: string): string => `${baseUrl}/p/${profileId}/${page}`,
  errorDocs: (baseUrl: string, code: string): string => `${baseUrl}/docs/errors/${code}`,
} as const;
