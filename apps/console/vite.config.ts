import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import { asValues, operationsAsValues } from '@tributary/sdk/as-values.ts';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import * as vocabulary from './source/vocabulary.ts';

const here = import.meta.dirname;

export default defineConfig({
  root: here,
  plugins: [
    react(),
    tailwindcss(),
    operationsAsValues(),
    asValues(join(here, 'source/vocabulary.ts'), vocabulary),
    packed(),
  ],
  build: {
    // The license texts are in the packages; inlined, they would be sent to every visitor.
    license: false,
    // Inlined data: URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
  },
  // `npm run dev -w @tributary/console` beside `npm run dev` gives hot reload with the real API.
  server: { port: 4200, proxy: { '/api': 'http://127.0.0.1:4000' } },
});

/** Writes a compressed copy beside each file, so that the server need not compress. */
function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    writeBundle: ({ dir = '' }, bundle) => {
      for (const name of Object.keys(bundle)) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue;
        const bytes = readFileSync(join(dir, name));
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
