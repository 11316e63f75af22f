import { namesOf } from './names-of.ts';

interface AdPlatformEntry {
  /**
   * The format of the platform's pixel ids; no other text is inserted into a page. Absent: the snippet supports no
   * pixel of it.
   */
  readonly pixel?: { readonly idPattern: RegExp; readonly idShape: string };
}

/** Ad platforms, by the names used in visits, spend and reports. The first two can be connected under these names. */
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

/** Spend may also be reported for a platform that is not in this table. */
export const isAdPlatform = (name: string): name is AdPlatform => Object.hasOwn(adPlatforms, name);

/** The platforms whose pixel the snippet can include. */
export type PixelPlatform = {
  [Name in AdPlatform]: Platforms[Name] extends { pixel: unknown } ? Name : never;
}[AdPlatform];
export const pixelPlatforms = adPlatformNames.filter((name): name is PixelPlatform => 'pixel' in adPlatforms[name]);

interface ClickIdKindEntry {
  /** The URL parameter that contains it. Null: it identifies the browser, not a click. */
  readonly parameter: string | null;
}

/** The click ids that are stored encrypted, to be reported back to their platform. */
export const clickIdKinds = {
  gclid: { parameter: 'gclid' },
  gbraid: { parameter: 'gbraid' },
  wbraid: { parameter: 'wbraid' },
  fbclid: { parameter: 'fbclid' },
  // A cookie that contains the click's own id.
  fbc: { parameter: 'fbclid' },
  fbp: { parameter: null },
  ttclid: { parameter: 'ttclid' },
  msclkid: { parameter: 'msclkid' },
  ctwa_clid: { parameter: 'ctwa_clid' },
} as const satisfies Record<string, ClickIdKindEntry>;
export type ClickIdKind = keyof typeof clickIdKinds;
export const clickIdKindNames = namesOf(clickIdKinds);
