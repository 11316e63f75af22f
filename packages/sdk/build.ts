import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { operationsAsValues } from './as-values.ts';
import manifest from './package.json' with { type: 'json' };

/**
 * Builds the published package in dist/: one JavaScript file without dependencies, the types, and its own manifest. Inside the
 * repository the SDK runs from source; the published package needs JavaScript, because Node runs no TypeScript below
 * node_modules.
 */
const here = import.meta.dirname;
const root = join(here, '../..');
const dist = join(here, 'dist');

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await writeScript();
await writeTypes();
writeManifest();
cpSync(join(here, 'README.md'), join(dist, 'README.md'));
cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'));

async function writeScript(): Promise<void> {
  const bundle = await rolldown({
    input: join(here, 'index.ts'),
    platform: 'browser',
    plugins: [operationsAsValues()],
  });
  await bundle.write({ file: join(dist, 'index.js'), format: 'esm' });
  await bundle.close();
}

/**
 * The types come from the contract and the vocabulary, so their declarations are included and imports among them become relative.
 */
async function writeTypes(): Promise<void> {
  const types = join(dist, 'types');
  const project = join(here, 'tsconfig.build.json');
  await promisify(execFile)(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', types]);
  for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const file = join(types, name);
    const getImportPath = (workspace: string): string => {
      const path = relative(dirname(file), join(types, workspace, 'index.js'));
      return path.startsWith('.') ? path : `./${path}`;
    };
    const text = readFileSync(file, 'utf8')
      .replaceAll(
        /(['"])@tributary\/(contract|vocabulary)\1/g,
        (_, _quote, workspace: string) => `'${getImportPath(workspace)}'`,
      )
      .replaceAll(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2');
    writeFileSync(file, text);
  }
  writeFileSync(join(dist, 'index.d.ts'), "export * from './types/sdk/index.js';\n");
}

function writeManifest(): void {
  const { name, version, description, license, type, dependencies } = manifest;
  const published = {
    name,
    version,
    description,
    license,
    type,
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    // Only the types refer to zod: the script imports nothing.
    dependencies: { zod: dependencies.zod },
  };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}
