import { mediaSites } from './sites/media-sites.ts';
import { otherSites } from './sites/other-sites.ts';
import type { Site } from './sites/site.ts';

/**
 * The classification of visits, as data. To add a search engine, a payment page or a tag, add one line in sites/;
 * docs/channels.md is generated from it. channels.ts applies it and defines the order of evidence. Hosts are written
 * without `www.` and include their subdomains, unless a longer host has a line of its own (mail.google.com is not
 * google.com). Words are compared in lower case, without spaces, hyphens and underscores.
 */

export const sites: readonly Site[] = [...mediaSites, ...otherSites];

export const siteByName: ReadonlyMap<string, Site> = new Map(sites.map((site) => [site.name, site]));
