import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildModule } from './build.ts';
import manifest from './package.json' with { type: 'json' };

/** Builds the package for bundlers in dist/: one module without dependencies, its types, and its own manifest. */
const here = import.meta.dirname;
const root = join(here, '../..');
const dist = join(here, 'dist');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
writeFileSync(join(dist, 'index.js'), await buildModule());
await writeTypes();
const { name, version, license, type } = manifest;
const publishedManifest = {
  name,
  version,
  description: 'Tells a Tributary collector of visits, for sites that bundle their scripts',
  license,
  type,
  sideEffects: false,
  exports: { '.': { types: './index.d.ts', default: './index.js' } },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(publishedManifest, null, 2)}\n`);
cpSync(join(here, 'PACKAGE.md'), join(dist, 'README.md'));
cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));

/** The entry file declares all exported types, so the declarations of the other files are dropped. */
async function writeTypes(): Promise<void> {
  const declarations = mkdtempSync(join(tmpdir(), 'tributary-tracker-'));
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', 'source'];
  const tsc = join(root, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', join(here, 'tsconfig.json'), ...flags, '--outDir', declarations], {
    cwd: here,
  });
  cpSync(join(declarations, 'module.d.ts'), join(dist, 'index.d.ts'));
  rmSync(declarations, { recursive: true });
}
