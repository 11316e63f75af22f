import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The root of the repository: sources of pages are named from here. */
export const root = join(import.meta.dirname, '../..');

/** Pages that are kept elsewhere because whoever opens a folder looks for them there. */
const elsewhere: Readonly<Record<string, string>> = {
  'README.md': 'readme',
  'ARCHITECTURE.md': 'architecture',
  'CONTRIBUTING.md': 'contributing',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
  'packages/sdk/README.md': 'sdk',
  'packages/tracker/PACKAGE.md': 'tracker-package',
};

/** Every page: where it is written, and its place below /docs. */
export const pages: ReadonlyMap<string, string> = new Map([
  ...markdownBelow('docs').map((source): [string, string] => [source, placeOf(source)]),
  ...Object.entries(elsewhere),
]);

export const addressOf = (place: string): string => (place ? `/docs/${place}/` : '/docs/');

/** The text of a page's source. */
export const read = (source: string): string => readFileSync(join(root, source), 'utf8');

function markdownBelow(folder: string): string[] {
  return readdirSync(join(root, folder))
    .toSorted()
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      if (statSync(join(root, path)).isDirectory()) return markdownBelow(path);
      return name.endsWith('.md') ? [path] : [];
    });
}

function placeOf(source: string): string {
  return source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '');
}

/** Where a link leads that stands in a source; undefined for a file that is in the repository and not on the site. */
export function targetOf(source: string, link: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(source), path)).replace(/\/$/, '');
  if (target.startsWith('docs/images/')) return `/${target}`;
  const place = pages.get(target) ?? pages.get(`${target}/README.md`) ?? (target === 'docs/guides' ? '' : undefined);
  if (place === undefined) return undefined;
  return addressOf(place) + (anchor ? `#${anchor}` : '');
}

/** As forges name the anchors of headings, so that a link works there and here. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

export interface Entry {
  readonly title: string;
  readonly address: string;
}

export interface Shelf {
  readonly reader: string;
  readonly entries: readonly Entry[];
}

/** The pages by reader, in the order of docs/README.md, which is the first page as well. */
export function shelves(): Shelf[] {
  const overview = 'docs/README.md';
  return read(overview)
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      reader: part.slice(0, part.indexOf('\n')).trim(),
      entries: [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title = '', link = '']) => ({
        title,
        address: targetOf(overview, link) ?? link,
      })),
    }));
}
