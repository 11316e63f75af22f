import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The root of the repository; sources of pages are relative to it. */
export const root = join(import.meta.dirname, '../..');

/** Pages outside docs/, because readers of the repository expect them in these folders. */
const otherSources: Readonly<Record<string, string>> = {
  'README.md': 'readme',
  'ARCHITECTURE.md': 'architecture',
  'CONTRIBUTING.md': 'contributing',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
  'packages/sdk/README.md': 'sdk',
  'packages/tracker/PACKAGE.md': 'tracker-package',
};

/** All pages: the source file and the path below /docs. */
export const pages: ReadonlyMap<string, string> = new Map([
  ...listMarkdown('docs').map((source): [string, string] => [source, getPagePath(source)]),
  ...Object.entries(otherSources),
]);

export const getUrl = (path: string): string => (path ? `/docs/${path}/` : '/docs/');

/** Reads the source of a page. */
export const read = (source: string): string => readFileSync(join(root, source), 'utf8');

function listMarkdown(folder: string): string[] {
  return readdirSync(join(root, folder))
    .toSorted()
    .flatMap((name) => {
      const path = `${folder}/${name}`;
      if (statSync(join(root, path)).isDirectory()) return listMarkdown(path);
      return name.endsWith('.md') ? [path] : [];
    });
}

function getPagePath(source: string): string {
  return source
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '');
}

/** Resolves a link of a source file to a URL of the site; undefined for a file that is only in the repository. */
export function resolveLink(source: string, link: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [path = '', anchor] = link.split('#');
  const target = normalize(join(dirname(source), path)).replace(/\/$/, '');
  if (target.startsWith('docs/images/')) return `/${target}`;
  const pagePath = pages.get(target) ?? pages.get(`${target}/README.md`) ?? (target === 'docs/guides' ? '' : undefined);
  if (pagePath === undefined) return undefined;
  return getUrl(pagePath) + (anchor ? `#${anchor}` : '');
}

/** Anchors of headings in the format of forges, so that links work there and here. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

export interface Entry {
  readonly title: string;
  readonly address: string;
}

export interface NavigationGroup {
  readonly reader: string;
  readonly entries: readonly Entry[];
}

/** The pages by reader, in the order of docs/README.md. */
export function readNavigation(): NavigationGroup[] {
  const overview = 'docs/README.md';
  return read(overview)
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      reader: part.slice(0, part.indexOf('\n')).trim(),
      entries: [...part.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title = '', link = '']) => ({
        title,
        address: resolveLink(overview, link) ?? link,
      })),
    }));
}
