import { expect, test } from 'vitest';
import { detectMediaType } from './picture.ts';

test.each<[start: string, mediaType: string | undefined]>([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x01\x02\n\x04WEBPVP8 ', 'image/webp'],
  ['\x00\x00\x00\x1cftypavif', 'image/avif'],
  ['\x00\x00\x00\x1cftypavis', 'image/avif'],
  // What follows the signature may look like another type.
  ['\x89PNGftypavif', 'image/png'],
  ['\xff\xd8\xff\xe1ftypavif', 'image/jpeg'],
  // A signature counts at its place only.
  ['\n\x89PNG\r\n\x1a\n', undefined],
  ['RIFFWEBP', undefined],
  ['ftypavif', undefined],
  ['\x00\x00\x00\x1cftypheic', undefined],
  ['RIFF\x01\x02\n\x04WAVE', undefined],
  ['<svg xmlns="http://www.w3.org/2000/svg">', undefined],
  ['', undefined],
])('a file that starts with %j has the type %s', (start, mediaType) => {
  expect(detectMediaType(Buffer.from(start, 'latin1'))).toBe(mediaType);
});
