import { placesToMeet } from './sites/places-to-meet.ts';
import { shopsAndHelpers } from './sites/shops-and-helpers.ts';
import type { Site } from './sites/site.ts';

/**
 * How a visit is understood, as data. To teach the product a search engine, a payment page or a tag, add one line in sites/;
 * docs/channels.md is made from it. channels.ts reads it and says in which order the evidence counts.
 *
 * Hosts are written without `www.` and stand for their subdomains too, unless a longer one has a line of its own
 * (mail.google.com is not google.com). Words are compared in small letters, without blanks, hyphens and underscores.
 */

export const sites: readonly Site[] = [...placesToMeet, ...shopsAndHelpers];

export const siteByName: ReadonlyMap<string, Site> = new Map(sites.map((site) => [site.name, site]));
