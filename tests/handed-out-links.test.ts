import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { links } from '@tributary/contract';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', 'apps', 'domain', 'packages'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && !/\.(test|fixture|generated)\.tsx?$/.test(file));

/** Patterns of code that appends a path to one of our base URLs. */
const builders = [
  /\$\{[\w.#]*(base|collector|api|public|console)Url(\.replace\([^`]*?\))?\}(\$\{|[/?#])/i,
  /\$\{(new URL\([^)]*\)|[\w.#]*location)?\.?origin\}(\$\{|[/?#])/,
  /new URL\([^;]*,\s*[\w.#]*((base|collector|api|public|console)Url|origin)\)/i,
  /\b((base|collector|api|public|console)Url|location\.origin) \+ /i,
];

/** Files whose addresses no user opens: requests by our own code, and addresses of other sites. */
const allowed: Readonly<Record<string, string>> = {
  'packages/contract/links.ts': 'the builders',
  'packages/sdk/client.ts': 'requests of the client',
  'apps/api/pages.ts': 'the request that a handler reads',
  'apps/api/mcp/serve.ts': 'the request that a tool reads',
  'apps/cli/demo/add-extras.ts': 'requests of the demo',
  'apps/cli/run-local.ts': 'waits for readiness',
  'domain/tenancy/accounts/oauth.ts': 'a request to the OAuth library in this process',
  'packages/rules/visits/mask-url.ts': 'addresses of the visited site',
  'apps/console/source/data/connect.tsx': 'the browser is on this page, and returns to it',
};

const isSimulator = (file: string) =>
  /^(apps\/sandbox|packages\/(providers|engines|market|postgres|clickhouse))\//.test(file);

function findBuilders(file: string): string[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => (builders.some((one) => one.test(line)) ? [`${file}:${index + 1}`] : []));
}

test('every address under a base URL is built by `links`, whose addresses tests/e2e opens', () => {
  const found = files.filter((file) => !isSimulator(file)).flatMap(findBuilders);
  expect(found.filter((at) => !((at.split(':')[0] as string) in allowed))).toEqual([]);
  // A file without such code must be removed from the list.
  const used = new Set(found.map((at) => at.split(':')[0]));
  expect(Object.keys(allowed).filter((file) => !used.has(file) && file !== 'packages/contract/links.ts')).toEqual([]);
});

test('a base URL may end with a slash', () => {
  const build = (baseUrl: string) =>
    Object.values(links).map((link) => (link as (...parts: string[]) => string)(baseUrl, 'one', 'two'));
  expect(build('https://tributary.test/')).toEqual(build('https://tributary.test'));
});
