import type { VisitorLinks } from '@tributary/domain/commerce/outcomes';
import { findHolders, insertLinks } from './store.ts';

/** Implements the links between browsers and customers for server events that name a browser. */
export const visitorLinks: VisitorLinks = {
  holdersOf: findHolders,
  link: (tx, profileId, links) =>
    insertLinks(
      tx,
      profileId,
      links.map((link) => ({ ...link, source: 'event', isSigned: false })),
    ),
};
