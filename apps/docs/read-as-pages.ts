import { resolveLink, toAnchor } from './pages.ts';

interface Token {
  readonly type: string;
  tag: string;
  readonly content: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Environment {
  readonly source: string;
  readonly address: string;
}

/** The part of markdown-it that we use. */
export interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: readonly Token[]; env: Environment }) => void): void;
    };
  };
  readonly renderer: { readonly rules: Record<string, unknown> };
}

/** One entry of the search index: a heading and the text below it, up to the next heading. */
export interface Section {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

/** Gives headings anchors, turns links between files into links between pages, and passes each section to the search index. */
export function readAsPages(markdown: Markdown, addSection: (section: Section) => void): void {
  markdown.core.ruler.push('pages', ({ tokens, env }) => {
    for (const section of extractSections(tokens, env)) addSection(section);
    for (const { children } of tokens) rewriteLinks(children ?? [], env.source);
  });
  // A wide table scrolls within its own region, also by keyboard.
  markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
}

/** Points links and images at the built pages. Links to files that are only in the repository become plain text. */
function rewriteLinks(tokens: readonly Token[], source: string): void {
  let isUnlinked = false;
  for (const token of tokens) {
    if (token.type === 'link_close' && isUnlinked) token.tag = 'span';
    if (token.type !== 'link_open' && token.type !== 'image') continue;
    const attribute = token.type === 'image' ? 'src' : 'href';
    const target = resolveLink(source, token.attrGet(attribute) ?? '');
    isUnlinked = target === undefined;
    if (target !== undefined) token.attrSet(attribute, target);
    else Object.assign(token, { tag: 'span', attrs: [] });
  }
}

/** The plain text of a token. */
const getText = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');

function extractSections(tokens: readonly Token[], { address }: Environment): Section[] {
  const sections: { page: string; heading: string; address: string; text: string }[] = [];
  const used = new Set<string>();
  let page = '';
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const heading = getText(tokens[index + 1]);
      const anchor = makeUnique(toAnchor(heading), used);
      token.attrSet('id', anchor);
      page ||= heading;
      sections.push({ page, heading, address: heading === page ? address : `${address}#${anchor}`, text: '' });
      return;
    }
    const section = sections.at(-1);
    const isHeadingText = tokens[index - 1]?.type === 'heading_open';
    if (!section || isHeadingText) return;
    if (token.type === 'inline') section.text += ` ${getText(token)}`;
    if (token.type === 'fence') section.text += ` ${token.content}`;
  });
  return sections;
}

function makeUnique(anchor: string, used: Set<string>): string {
  let name = anchor;
  for (let times = 1; used.has(name); times += 1) name = `${anchor}-${times}`;
  used.add(name);
  return name;
}
