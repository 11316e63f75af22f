import { namesOf } from './names-of.ts';

interface AdPlatformEntry {
  /** How it writes the ids of its pixel; nothing else gets into a page. Absent: the snippet brings no pixel of it. */
  readonly pixel?: { readonly idPattern: RegExp; readonly idShape: string };
}

/** Whose ads people click, under the names that visits, spend and reports carry. The first two can be connected by these names. */
export const adPlatforms = {
  social_ads: {
    pixel: { idPattern: /^\d{6,20}$/, idShape: '6 to 20 digits' },
  },
  search_ads: {
    pixel: { idPattern: /^(AW|G|GT)-[0-9A-Z]{4,20}$/, idShape: 'AW-, G- or GT- and capitals or digits' },
  },
  tiktok: {},
  linkedin: {},
  microsoft: {},
  yandex: {},
  x: {},
  pinterest: {},
  reddit: {},
  snapchat: {},
  quora: {},
  vk: {},
  amazon: {},
  taboola: {},
  outbrain: {},
  criteo: {},
  adroll: {},
  mgid: {},
  teads: {},
} as const satisfies Record<string, AdPlatformEntry>;

type Platforms = typeof adPlatforms;
export type AdPlatform = keyof Platforms;
export const adPlatformNames = namesOf(adPlatforms);

/** Spend may be told of a platform that is not in the table. */
export const isAdPlatform = (name: string): name is AdPlatform => Object.hasOwn(adPlatforms, name);

/** The platforms whose pixel the snippet can bring along. */
export type PixelPlatform = {
  [Name in AdPlatform]: Platforms[Name] extends { pixel: unknown } ? Name : never;
}[AdPlatform];
export const pixelPlatforms = adPlatformNames.filter((name): name is PixelPlatform => 'pixel' in adPlatforms[name]);

interface ClickIdKindEntry {
  /** The parameter of a link that it comes by. Null: it says which browser it is, and nothing of a click. */
  readonly parameter: string | null;
}

/** The click ids that are kept, sealed, to be reported back to the platform they came from. */
export const clickIdKinds = {
  gclid: { parameter: 'gclid' },
  gbraid: { parameter: 'gbraid' },
  wbraid: { parameter: 'wbraid' },
  fbclid: { parameter: 'fbclid' },
  // A cookie that holds the click's own id.
  fbc: { parameter: 'fbclid' },
  fbp: { parameter: null },
  ttclid: { parameter: 'ttclid' },
  msclkid: { parameter: 'msclkid' },
  ctwa_clid: { parameter: 'ctwa_clid' },
} as const satisfies Record<string, ClickIdKindEntry>;
export type ClickIdKind = keyof typeof clickIdKinds;
export const clickIdKindNames = namesOf(clickIdKinds);
