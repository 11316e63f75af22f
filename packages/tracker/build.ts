import { join } from 'node:path';
import { rolldown } from 'rolldown';

let built: Promise<string> | undefined;

/** The script as browsers get it: one file, minified, in the words of 2018. `npm run check -- --write` keeps it in `t.generated.js`. */
export function buildTracker(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'source/main.ts'),
    platform: 'browser',
    transform: { target: 'es2018' },
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  await bundle.close();
  return output[0].code;
}
