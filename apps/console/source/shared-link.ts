/**
 * The link by which a report was opened without signing in. Its secret stands behind the `#` of the address, which no browser sends to a server, and
 * is kept for as long as the tab is open.
 */
export interface SharedLink {
  readonly secret: string;
  readonly profileId: string;
  readonly page: string;
}

const place = 'tributary.shared';

/** Undefined on every page but the one that the link shows. */
export function sharedLink(): SharedLink | undefined {
  const text = sessionStorage.getItem(place);
  if (!text) return undefined;
  const link = JSON.parse(text) as SharedLink;
  return location.pathname === `/p/${link.profileId}/${link.page}` ? link : undefined;
}

export const keepSharedLink = (link: SharedLink): void => sessionStorage.setItem(place, JSON.stringify(link));
export const forgetSharedLink = (): void => sessionStorage.removeItem(place);
