import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type Route, routes } from '@tributary/contract';
import { expect, test } from 'vitest';
import { buildDocs, docsDirectory } from '../apps/docs/build.ts';
import { pages as sitePages } from '../apps/docs/pages.ts';

const root = join(import.meta.dirname, '..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((page) => existsSync(join(root, page)));

/** Pages about the past, which are not updated. */
const isHistory = (page: string) => page === 'CHANGELOG.md' || page.startsWith('docs/decisions/');

/** Pages for users: their routes, commands and samples must be correct. */
const guides = pages.filter((page) => page.startsWith('docs/guides/') || page === 'README.md');

test('every path in a page exists', () => {
  const path = /`((?:apps|bench|deploy|docs|domain|packages|tests)\/[\w./-]+)`/g;
  const named = pages
    .filter((page) => !isHistory(page))
    .flatMap((page) => [...read(page).matchAll(path)].map(([, name = '']) => ({ page, name })))
    // A word in capitals is a placeholder: tests/chaos/NAME.drill.ts. Build output may not exist yet.
    .filter(({ name }) => !/\/[A-Z]+\.|\/dist$/.test(name));
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !existsSync(join(root, name)))).toEqual([]);
});

/** Links from a page to other pages of the repository, as paths from the root. */
function linksOf(page: string): { readonly page: string; readonly to: string; readonly anchor: string | undefined }[] {
  const text = read(page).replaceAll(/```[\s\S]*?```/g, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, address = '']) => {
    if (/^(https?:|mailto:)/.test(address)) return [];
    const [file = '', anchor] = address.split('#');
    return [{ page, to: file ? normalize(join(dirname(page), file)) : page, anchor }];
  });
}

/** The anchors of headings, as GitHub builds them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('every link leads to an existing file, and its anchor to a heading', () => {
  const links = pages.flatMap(linksOf);
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(({ to }) => !existsSync(join(root, to)))).toEqual([]);
  expect(links.filter(({ to, anchor }) => anchor && to.endsWith('.md') && !anchorsOf(to).includes(anchor))).toEqual([]);
});

test('every documentation page is reachable from the README', () => {
  const found = new Set(['README.md']);
  for (const page of found)
    for (const { to } of page.endsWith('.md') ? linksOf(page) : []) if (existsSync(join(root, to))) found.add(to);
  expect(pages.filter((page) => page.startsWith('docs/') && !found.has(page))).toEqual([]);
});

test('the site has every page, no dead link, and every page is reachable from the first', async () => {
  await buildDocs();
  const built = readdirSync(docsDirectory, { recursive: true, encoding: 'utf8' });
  const texts = new Map(
    built
      .filter((name) => name.endsWith('index.html'))
      .map((name) => [`/docs/${name.slice(0, -'index.html'.length)}`, readFileSync(join(docsDirectory, name), 'utf8')]),
  );
  expect(texts.size).toBe(sitePages.size);
  expect(pages.filter((page) => page.startsWith('docs/') && !sitePages.has(page))).toEqual([]);
  const files = new Set(built.map((name) => `/docs/${name}`));
  /** Paths that the API serves. */
  const elsewhere = new Set(['/', '/docs/reference', '/docs/errors']);
  const links = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]*)"/g)]
      .filter(([, address = '']) => !/^(https?:|mailto:)/.test(address))
      .map(([, address = '']) => ({ page, to: new URL(address, `http://site${page}`) })),
  );
  expect(links.length).toBeGreaterThan(5_000);
  const dead = links.filter(({ to: { pathname, hash } }) => {
    const text = texts.get(pathname);
    if (text === undefined) return !files.has(pathname) && !elsewhere.has(pathname);
    return hash !== '' && !text.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
  });
  expect(dead.map(({ page, to }) => `${page} -> ${to.pathname}${to.hash}`)).toEqual([]);
  const found = new Set(['/docs/']);
  for (const page of found)
    for (const { to } of links.filter((link) => link.page === page)) if (texts.has(to.pathname)) found.add(to.pathname);
  expect([...texts.keys()].filter((page) => !found.has(page))).toEqual([]);
  // The content security policy blocks inline scripts, styles and event handlers.
  const own = /<script(?![^>]* src="\/docs\/)|<style| style=| on[a-z]+="/;
  expect(
    [...texts].filter(([, text]) => own.test(text.replaceAll(/<code[\s\S]*?<\/code>/g, ''))).map(([page]) => page),
  ).toEqual([]);
});

const declared: readonly Route[] = Object.values(routes);
const patterns = declared.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));
const routeAt = (method: string, path: string) =>
  patterns.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;

test('every route in a guide exists with that method', () => {
  const named = guides.flatMap((page) =>
    [...read(page).matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/api\/v1\/[^`\s?]*)/g)].map(
      ([, method = '', path = '']) => ({
        page,
        method,
        path,
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter(({ method, path }) => !routeAt(method, path))).toEqual([]);
});

test('the route of every curl example in a guide accepts its body', () => {
  const shown = guides.flatMap((page) =>
    [...read(page).matchAll(/^curl [\s\S]*?(?=\n(?:curl|#|```|\n))/gm)].map(([text]) => ({ page, text })),
  );
  const calls = shown.flatMap(({ page, text }) => {
    const path = /\/api\/v1\/[^"'\s?\\]*/.exec(text)?.[0]?.replaceAll(/\$\{?\w+\}?/g, 'x');
    const body = / -d '([\s\S]*?)'(?:\s|$)/.exec(text)?.[1];
    const method = / -X (\w+)/.exec(text)?.[1] ?? (body ? 'POST' : 'GET');
    return path ? [{ page, text, method, route: routeAt(method, path), body }] : [];
  });
  expect(calls.length).toBeGreaterThan(25);
  expect(calls.flatMap(({ page, text, route }) => (route ? [] : [{ page, text }]))).toEqual([]);
  const refused = calls.flatMap(({ page, body, route }) => {
    // Shortened samples contain an ellipsis.
    if (!body || !route?.body || body.includes('…') || body.includes('$')) return [];
    const parsed = route.body.schema.safeParse(JSON.parse(body));
    return parsed.success ? [] : [{ page, route: route.id, issues: parsed.error.issues }];
  });
  expect(refused).toEqual([]);
});

test('every CLI command in a guide exists', () => {
  const main = read('apps/cli/main.ts');
  const names = new Set([...main.matchAll(/^ {2}'?([a-z-]+)'?: \{$/gm)].map(([, name]) => name));
  const files = execFileSync('git', ['ls-files', 'apps/cli/commands'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  const words = files.map(read).join('\n');
  const used = guides.flatMap((page) =>
    [...read(page).matchAll(/npx tributary ([a-z-]+)(?: ([a-z-]+))?/g)].map(([, name, second]) => ({
      page,
      name,
      second,
    })),
  );
  expect(used.length).toBeGreaterThan(15);
  expect(used.filter(({ name }) => !names.has(name))).toEqual([]);
  const withSecond = used.filter(
    ({ name, second }) => second && new RegExp(`new Command\\('${name}'\\)\\s*\\.addCommand`).test(words),
  );
  expect(withSecond.filter(({ second }) => !words.includes(`'${second}'`))).toEqual([]);
});
