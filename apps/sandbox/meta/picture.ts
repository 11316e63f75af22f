import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { MetaCreative } from './state.ts';

/** A small picture of a creative, derived from its id: individual colors, and a shape for its type (video, carousel or image). */

const size = 160;
type Colour = readonly [number, number, number];

export function drawCreative({ id, videoId, isCarousel }: MetaCreative): Buffer {
  const [first = 0, second = 0, third = 0] = createHash('sha256').update(id).digest();
  const hue = (first / 256) * 360;
  const [sky, ground, thing] = [
    colourOf(hue, 0.55, 0.82),
    colourOf(hue + 40, 0.5, 0.55),
    colourOf(hue + 150 + second / 4, 0.65, 0.5),
  ];
  const horizon = 90 + (third % 40);
  const isThing = videoId !== undefined ? inTriangle : isCarousel ? inCards : inBox;
  const sun = { x: 30 + (second % 100), y: 30 + (first % 20) };
  return pngOf((x, y) => {
    if (isThing(x, y)) return y % 40 === 20 ? [255, 255, 255] : thing;
    if (Math.hypot(x - sun.x, y - sun.y) < 16) return [255, 244, 214];
    return y > horizon
      ? mixed(ground, [40, 40, 60], (y - horizon) / size)
      : mixed(sky, [255, 255, 255], y / horizon / 2);
  });
}

const inTriangle = (x: number, y: number): boolean => x > 55 && x < 115 && Math.abs(y - 85) < (115 - x) * 0.6;
const inCards = (x: number, y: number): boolean => y > 55 && y < 120 && (x - 14) % 46 < 38 && x > 14 && x < 146;
const inBox = (x: number, y: number): boolean => x > 48 && x < 112 && y > 60 && y < 124;

const mixed = (one: Colour, other: Colour, share: number): Colour => [
  one[0] + (other[0] - one[0]) * share,
  one[1] + (other[1] - one[1]) * share,
  one[2] + (other[2] - one[2]) * share,
];

function colourOf(hue: number, saturation: number, lightness: number): Colour {
  const part = (offset: number): number => {
    const hueOffset = (offset + hue / 30) % 12;
    const reach = saturation * Math.min(lightness, 1 - lightness);
    return 255 * (lightness - reach * Math.max(-1, Math.min(hueOffset - 3, 9 - hueOffset, 1)));
  };
  return [part(0), part(8), part(4)];
}

/** Encodes 8-bit RGB, with unfiltered lines. */
function pngOf(colourAt: (x: number, y: number) => Colour): Buffer {
  const lines = Buffer.alloc(size * (1 + size * 3));
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) lines.set(colourAt(x, y).map(Math.round), y * (1 + size * 3) + 1 + x * 3);
  const header = Buffer.from([0, 0, 0, size, 0, 0, 0, size, 8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
