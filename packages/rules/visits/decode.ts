const tail = '%[89ab][0-9a-f]';

/** Escapes that are characters, by the table of well-formed UTF-8: what is matched here can always be decoded. */
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
 * One round of percent-decoding, for whatever of it can be decoded: half an address still says where it came from. It never throws:
 * a thrown error costs a thousand times as much as a decoded character, and anybody can write a lone percent sign.
 */
export const decodeOnce = (text: string): string =>
  text.includes('%') ? text.replace(escapedText, decodeURIComponent) : text;

/** All rounds of it, as far as anybody writes them. */
export function decodeAll(text: string): string {
  let decoded = text;
  for (let round = 0; round < 6 && decoded.includes('%'); round += 1) decoded = decodeOnce(decoded);
  return decoded;
}
