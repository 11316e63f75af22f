import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { words as english } from '../../apps/console/source/messages/en/index.ts';
import { words as spanish } from '../../apps/console/source/messages/es/index.ts';

/** The appearances of the console: each language with each theme on each screen width. */
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

/** Each screen in one appearance, so that all screens together cover all of them; WALK=all tests each in every one, which takes minutes. */
export const visitsOf = <Screen>(screens: readonly Screen[]): readonly [Appearance, readonly Screen[]][] =>
  appearances.map((appearance, place) => [
    appearance,
    screens.filter((_, index) => process.env.WALK === 'all' || index % appearances.length === place),
  ]);

/** Waits until nothing is loading any more. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.animate-pulse').first().waitFor({ state: 'detached', timeout: 20_000 });
}

/** Everything that is truncated, off screen, in the wrong language, or inaccessible. */
export const faultsIn = async (page: Page, appearance: Appearance): Promise<string[]> => [
  ...(await visibleFaults(page, appearance)),
  ...(await accessFaults(page)),
];

/** The visible faults only, because the accessibility check takes most of the time. */
export async function visibleFaults(page: Page, { language, width }: Appearance): Promise<string[]> {
  const seen = (await page.evaluate(inspectPage)) as Seen;
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

/** Runs in the page. Scrollable and screen-reader-only elements may be wider than the screen. */
const inspectPage = `(() => {
  const all = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility());
  const has = (element, value) => value.test(getComputedStyle(element).overflowX);
  const scrolls = (element) => element && element !== document.body && (has(element, /auto|scroll|hidden|clip/) || scrolls(element.parentElement));
  const isScreenReaderOnly = (element) => element.clientWidth <= 1 || element.closest('.sr-only') !== null;
  const html = (element) => element.outerHTML.slice(0, 200);
  const texts = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.add(walker.currentNode.textContent.trim());
  for (const element of all) for (const name of ['aria-label', 'title', 'placeholder'])
    if (element.hasAttribute(name)) texts.add(element.getAttribute(name).trim());
  return {
    language: document.documentElement.lang,
    width: document.scrollingElement.scrollWidth,
    beside: all.filter((element) => !isScreenReaderOnly(element) && element.getBoundingClientRect().right > innerWidth + 1 && !scrolls(element.parentElement)).map(html),
    cut: all.filter((element) => !isScreenReaderOnly(element) && has(element, /hidden|clip/) && element.scrollWidth > element.clientWidth + 1).map(html),
    texts: [...texts].filter(Boolean),
  };
})()`;

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsOf) : [];
}

/** Texts of one dictionary that the other lacks. Single words that may also be data, such as names, are left out. */
const [texts, textos] = [new Set(textsOf(english)), new Set(textsOf(spanish))];
const onlyEnglish = texts.difference(textos);
const onlySpanish = textos.difference(texts);
