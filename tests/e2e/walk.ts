import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { words as english } from '../../apps/console/source/words/en/index.ts';
import { words as spanish } from '../../apps/console/source/words/es/index.ts';

/** How somebody may have the console before them: each language with each theme on each screen. */
const appearances = (['en', 'es'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((theme) =>
    ([1440, 390] as const).map((width) => ({ language, theme, width, name: `${language} ${theme} ${width}` })),
  ),
);
type Appearance = (typeof appearances)[number];

export const optionsOf = ({ language, theme, width }: Appearance): BrowserContextOptions => ({
  locale: language === 'es' ? 'es-CL' : 'en-US',
  colorScheme: theme,
  viewport: { width, height: width < 500 ? 844 : 900 },
});

/** Each screen in one appearance, and all screens together in all of them; with WALK=all each in every one, which takes minutes. */
export const visitsOf = <Screen>(screens: readonly Screen[]): readonly [Appearance, readonly Screen[]][] =>
  appearances.map((appearance, place) => [
    appearance,
    screens.filter((_, index) => process.env.WALK === 'all' || index % appearances.length === place),
  ]);

/** Once nothing is on its way any more. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached', timeout: 20_000 });
}

/** Everything that is cut, beside the screen, in the wrong language, or that somebody who cannot see or point would stumble over. */
export const faultsIn = async (page: Page, appearance: Appearance): Promise<string[]> => [
  ...(await visibleFaults(page, appearance)),
  ...(await accessFaults(page)),
];

/** Those that are seen: the rest takes most of the time. */
export async function visibleFaults(page: Page, { language, width }: Appearance): Promise<string[]> {
  const seen = (await page.evaluate(looking)) as Seen;
  const foreign = language === 'es' ? onlyEnglish : onlySpanish;
  const faults = [
    ...(seen.language === language ? [] : [`the page says that it is ${seen.language}`]),
    ...(seen.width > width ? [`${seen.width} pixels wide`] : []),
    ...seen.beside.map((html) => `beside the screen: ${html}`),
    ...seen.cut.map((html) => `cut: ${html}`),
    ...seen.texts.filter((text) => foreign.has(text)).map((text) => `not in ${language}: ${text}`),
    ...seen.texts.filter((text) => /\bundefined\b|\bNaN\b|\[object/.test(text)).map((text) => `no words: ${text}`),
  ];
  return faults.map((fault) => fault.slice(0, 400));
}

/** Everything on the page that somebody who cannot see or point would stumble over. */
export async function accessFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`.slice(0, 400));
}

interface Seen {
  readonly language: string;
  readonly width: number;
  readonly beside: readonly string[];
  readonly cut: readonly string[];
  readonly texts: readonly string[];
}

/** In the page itself. What scrolls by itself, and what is only heard, may be wider than it seems. */
const looking = `(() => {
  const all = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility());
  const has = (element, value) => value.test(getComputedStyle(element).overflowX);
  const scrolls = (element) => element && element !== document.body && (has(element, /auto|scroll|hidden|clip/) || scrolls(element.parentElement));
  const isHeard = (element) => element.clientWidth <= 1 || element.closest('.sr-only') !== null;
  const html = (element) => element.outerHTML.slice(0, 200);
  const texts = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.add(walker.currentNode.textContent.trim());
  for (const element of all) for (const name of ['aria-label', 'title', 'placeholder'])
    if (element.hasAttribute(name)) texts.add(element.getAttribute(name).trim());
  return {
    language: document.documentElement.lang,
    width: document.scrollingElement.scrollWidth,
    beside: all.filter((element) => !isHeard(element) && element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement)).map(html),
    cut: all.filter((element) => !isHeard(element) && has(element, /hidden|clip/) && element.scrollWidth > element.clientWidth + 1).map(html),
    texts: [...texts].filter(Boolean),
  };
})()`;

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}

/** What one dictionary says and the other does not. A word that data may hold too, like a name, is none. */
const [texts, textos] = [new Set(textsOf(english)), new Set(textsOf(spanish))];
const onlyEnglish = texts.difference(textos);
const onlySpanish = textos.difference(texts);
