import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { getUrl, pages, read, root } from './pages.ts';
import { type Markdown, readAsPages, type Section } from './read-as-pages.ts';

/** The part of Eleventy's configuration that we use. */
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

/**
 * Configures the site: each source of `pages` in one layout, plus the assets and the search index. Nothing is fetched from other
 * hosts.
 */
export default function configure(eleventy: Eleventy): object {
  const sections: Section[] = [];
  // The layout is TypeScript, which Node runs directly.
  eleventy.addExtension('11ty.ts', { key: '11ty.js' });
  eleventy.addTemplateFormats('11ty.ts');
  eleventy.amendLibrary('md', (markdown) => readAsPages(markdown, (section) => sections.push(section)));
  for (const [source, path] of pages) {
    eleventy.addTemplate(join(path, 'index.md'), read(source), {
      layout: 'page.11ty.ts',
      source,
      address: getUrl(path),
      permalink: join(path, 'index.html'),
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
    compressFiles(output);
  });
  return { dir: { input: 'source', output }, markdownTemplateEngine: false, pathPrefix: '/docs/' };
}

/** Writes compressed copies of each text file, so that the server does not compress. */
function compressFiles(directory: string): void {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|html|json|svg)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    // Maximum quality would take longer than the rest of the build.
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }));
    writeFileSync(`${file}.gz`, gzipSync(bytes));
  }
}
