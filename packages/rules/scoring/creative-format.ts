/** What a creative can be. */
export const creativeFormats = [
  'ugc_video',
  'talking_head',
  'video',
  'static',
  'carousel',
  'collection',
  'other',
] as const;
export type CreativeFormat = (typeof creativeFormats)[number];

const words: Readonly<Record<string, CreativeFormat>> = {
  image: 'static',
  photo: 'static',
  single_image: 'static',
  picture: 'static',
  banner: 'static',
  link: 'static',
  single_video: 'video',
  reel: 'video',
  reels: 'video',
  short: 'video',
  in_stream: 'video',
  ugc: 'ugc_video',
  slideshow: 'carousel',
  multi_image: 'carousel',
  catalog: 'collection',
  instant_experience: 'collection',
};

/** What a platform calls it, in our words. What nobody knows is `other`. */
export function creativeFormatOf(said: string): CreativeFormat {
  const word = said
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return creativeFormats.find((format) => format === word) ?? words[word] ?? 'other';
}

const moving: readonly CreativeFormat[] = ['ugc_video', 'talking_head', 'video'];

export const isVideo = (format: CreativeFormat): boolean => moving.includes(format);
