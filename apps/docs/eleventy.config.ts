import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { addressOf, pages, read, root } from './pages.ts';
import { type Markdown, readAsPages, type Section } from './read-as-pages.ts';

/** What we use of Eleventy's configuration. */
interface Eleventy {
  addExtension(extension: string, options: { readonly key: string }): void;
  addTemplateFormats(formats: string): void;
  addTemplate(path: string, content: string, data: object): void;
  addPassthroughCopy(paths: Readonly<Record<string, string>>): void;
  addWatchTarget(path: string): void;
  amendLibrary(language: 'md', amend: (markdown: Markdown) => void): void;
  on(event: 'eleventy.after', then: () => void): void;
}

const output = 'dist';

/** The site: each page of `pages` as it is written, in one layout, and what search needs, as files. Nothing is fetched from anywhere. */
export default function configure(eleventy: Eleventy): object {
  const sections: Section[] = [];
  // The layout is TypeScript, which Node reads as it stands.
  eleventy.addExtension('11ty.ts', { key: '11ty.js' });
  eleventy.addTemplateFormats('11ty.ts');
  eleventy.amendLibrary('md', (markdown) => readAsPages(markdown, (section) => sections.push(section)));
  for (const [source, place] of pages) {
    eleventy.addTemplate(join(place, 'index.md'), read(source), {
      layout: 'page.11ty.ts',
      source,
      address: addressOf(place),
      permalink: join(place, 'index.html'),
    });
  }
  eleventy.addPassthroughCopy({
    assets: 'assets',
    '../../docs/images': 'images',
    '../console/source/icon.svg': 'assets/icon.svg',
    '../../node_modules/minisearch/dist/es/index.js': 'assets/minisearch.js',
  });
  eleventy.addWatchTarget(join(root, 'docs'));
  eleventy.on('eleventy.after', () => {
    writeFileSync(join(output, 'assets/search.json'), JSON.stringify(sections.splice(0)));
    pack(output);
  });
  return { dir: { input: 'source', output }, markdownTemplateEngine: false, pathPrefix: '/docs/' };
}

/** Writes each text packed beside it, so that the server packs nothing. */
function pack(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|html|json|svg)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    // The last grades of packing take longer than all else that is built here.
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }));
    writeFileSync(`${file}.gz`, gzipSync(bytes));
  }
}
