const tail = '%[89ab][0-9a-f]';

/** Escapes of well-formed UTF-8: every match can be decoded. */
const escapedText = new RegExp(
  `(?:${[
    '%[0-7][0-9a-f]',
    `%(?:c[2-9a-f]|d[0-9a-f])${tail}`,
    `%e0%[ab][0-9a-f]${tail}`,
    `%e[1-9a-cef](?:${tail}){2}`,
    `%ed%[89][0-9a-f]${tail}`,
    `%f0%[9ab][0-9a-f](?:${tail}){2}`,
    `%f[1-3](?:${tail}){3}`,
    `%f4%8[0-9a-f](?:${tail}){2}`,
  ].join('|')})+`,
  'gi',
);

/**
 * One round of percent-decoding; parts that cannot be decoded are left as they are, because half a URL is still
 * useful. It never throws: an exception costs a thousand times as much as decoding a character, and anyone can send a
 * lone percent sign.
 */
export const decodeOnce = (text: string): string =>
  text.includes('%') ? text.replace(escapedText, decodeURIComponent) : text;

/** Repeats decoding, up to the depth that occurs in practice. */
export function decodeAll(text: string): string {
  let decoded = text;
  for (let round = 0; round < 6 && decoded.includes('%'); round += 1) decoded = decodeOnce(decoded);
  return decoded;
}
