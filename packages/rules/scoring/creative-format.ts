import { type CreativeFormat, creativeFormatNames, creativeFormats } from '@tributary/vocabulary';

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

/** Maps a platform's format to ours. An unknown format is `other`. */
export function creativeFormatOf(platformFormat: string): CreativeFormat {
  const word = platformFormat
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
  return creativeFormatNames.find((format) => format === word) ?? words[word] ?? 'other';
}

export const isVideo = (format: CreativeFormat): boolean => creativeFormats[format].isVideo;
