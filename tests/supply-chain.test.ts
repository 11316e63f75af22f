import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLock, supplyChainFaults } from './supply-chain.ts';

const root = join(import.meta.dirname, '..');
const good = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };
const faultsOf = (entry: object) => supplyChainFaults({ 'node_modules/a': { ...good, ...entry } });

test.each([
  ['integrity of another kind', { integrity: 'sha1-x' }],
  ['a download address', { resolved: 'https://packages.example/a.tgz' }],
  ['a licence that is not on the list', { license: 'AGPL-3.0-only' }],
  ['no licence', { license: undefined }],
  ['two licences joined by AND, one of them unknown', { license: '(MIT AND SSPL-1.0)' }],
  ['an install script', { hasInstallScript: true }],
  [
    'an optional build for another platform without a lock entry',
    { optionalDependencies: { 'a-darwin-arm64': '1.0.0' } },
  ],
])('reports %s', (_title, entry) => {
  expect(faultsOf(entry)).toHaveLength(1);
});

test('accepts licences joined by OR when one of them is on the list', () => {
  expect(faultsOf({ license: '(SSPL-1.0 OR MIT)' })).toEqual([]);
});

test('the bill of materials contains every package of the lock file', () => {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const bill = JSON.parse(text) as { bomFormat: string; components: { name: string; version: string }[] };
  expect(bill.bomFormat).toBe('CycloneDX');
  const named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  const locked = Object.entries(readLock(root)).flatMap(([path, { version, link }]) =>
    path.includes('node_modules/') && !link ? [`${path.split('node_modules/').at(-1)}@${version}`] : [],
  );
  expect(locked.length).toBeGreaterThan(400);
  expect(locked.filter((each) => !named.has(each))).toEqual([]);
});
