import type { VisitorLinks } from '@tributary/domain/outcomes';
import { findHolders, insertLinks } from './store.ts';

/** Which browsers are whose, for outcomes that servers tell of and that name the browser. */
export const visitorLinks: VisitorLinks = {
  holdersOf: findHolders,
  link: (tx, profileId, links) =>
    insertLinks(
      tx,
      profileId,
      links.map((link) => ({ ...link, source: 'event', isSigned: false })),
    ),
};
