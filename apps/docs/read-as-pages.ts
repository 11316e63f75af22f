import { anchorOf, targetOf } from './pages.ts';

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

/** What we use of markdown-it. */
export interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: readonly Token[]; env: Environment }) => void): void;
    };
  };
  readonly renderer: { readonly rules: Record<string, unknown> };
}

/** What is found together: a heading and what stands below it, up to the next. */
export interface Section {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

/** Headings get anchors, links between files become links between pages, and each section is handed on for search. */
export function readAsPages(markdown: Markdown, keep: (section: Section) => void): void {
  markdown.core.ruler.push('pages', ({ tokens, env }) => {
    for (const section of sectionsOf(tokens, env)) keep(section);
    for (const { children } of tokens) leadOn(children ?? [], env.source);
  });
  // A wide table is moved sideways by itself, and by keyboard.
  markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0" role="region" aria-label="Table"><table>';
  markdown.renderer.rules.table_close = () => '</table></div>';
}

/** Links and pictures lead to what is made of the file. A file that is in the repository only is named, and leads nowhere. */
function leadOn(tokens: readonly Token[], source: string): void {
  let isNamed = false;
  for (const token of tokens) {
    if (token.type === 'link_close' && isNamed) token.tag = 'span';
    if (token.type !== 'link_open' && token.type !== 'image') continue;
    const attribute = token.type === 'image' ? 'src' : 'href';
    const target = targetOf(source, token.attrGet(attribute) ?? '');
    isNamed = target === undefined;
    if (target !== undefined) token.attrSet(attribute, target);
    else Object.assign(token, { tag: 'span', attrs: [] });
  }
}

/** Text as it is read: of code and of words, without marks. */
const textOf = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');

function sectionsOf(tokens: readonly Token[], { address }: Environment): Section[] {
  const sections: { page: string; heading: string; address: string; text: string }[] = [];
  const used = new Set<string>();
  let page = '';
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[index + 1]);
      const anchor = free(anchorOf(heading), used);
      token.attrSet('id', anchor);
      page ||= heading;
      sections.push({ page, heading, address: heading === page ? address : `${address}#${anchor}`, text: '' });
      return;
    }
    const section = sections.at(-1);
    const isOfHeading = tokens[index - 1]?.type === 'heading_open';
    if (!section || isOfHeading) return;
    if (token.type === 'inline') section.text += ` ${textOf(token)}`;
    if (token.type === 'fence') section.text += ` ${token.content}`;
  });
  return sections;
}

function free(anchor: string, used: Set<string>): string {
  let name = anchor;
  for (let times = 1; used.has(name); times += 1) name = `${anchor}-${times}`;
  used.add(name);
  return name;
}
