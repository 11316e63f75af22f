/**
 * The link by which a report was opened without signing in. Its secret is in the URL fragment, which browsers do not send to servers, and is stored
 * while the tab is open.
 */
export interface SharedLink {
  readonly secret: string;
  readonly profileId: string;
  readonly page: string;
}

const storageKey = 'tributary.shared';

/** Undefined on every page except the one that the link shows. */
export function sharedLink(): SharedLink | undefined {
  const text = sessionStorage.getItem(storageKey);
  if (!text) return undefined;
  const link = JSON.parse(text) as SharedLink;
  return location.pathname === `/p/${link.profileId}/${link.page}` ? link : undefined;
}

export const keepSharedLink = (link: SharedLink): void => sessionStorage.setItem(storageKey, JSON.stringify(link));
export const forgetSharedLink = (): void => sessionStorage.removeItem(storageKey);
