import { join } from 'node:path';
import { type OutputOptions, rolldown } from 'rolldown';

let built: Promise<string> | undefined;

/** The script as served to browsers: one minified file in ES2018. `npm run check -- --write` keeps it in `t.generated.js`. */
export function buildTracker(): Promise<string> {
  built ??= build();
  return built;
}

const build = () => bundleEntry('main.ts', { format: 'iife', minify: true });

/** The module published for bundlers, which minify it themselves. */
export const buildModule = (): Promise<string> => bundleEntry('module.ts', { format: 'esm' });

async function bundleEntry(entry: string, form: OutputOptions): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'source', entry),
    platform: 'browser',
    transform: { target: 'es2018' },
  });
  const { output } = await bundle.generate(form);
  await bundle.close();
  return output[0].code;
}
