import fc from 'fast-check';
import { hostileTexts, writeJson } from '../hostile.ts';
import { byteChanges, changedAt, placesIn, valueChanges } from '../mutations.ts';

/** A change of the structure of a document, at one of its places. */
type Bend = readonly [place: number, change: (value: unknown) => unknown];

const bends: fc.Arbitrary<readonly Bend[]> = fc.array(fc.tuple(fc.nat(400), valueChanges), { maxLength: 3 });

const cuts = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((share) => (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * share)));
const flips = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(7)).map(([share, bit]) => (bytes: Buffer) => {
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * share));
  const flipped = Buffer.from(bytes);
  if (at >= 0) flipped[at] = (flipped[at] as number) ^ (1 << bit);
  return flipped;
});

/** Bytes that were cut, changed in one bit, written in another encoding, or replaced. */
export const brokenBytes: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(byteChanges, cuts, flips);

function bent(document: unknown, changes: readonly Bend[]): unknown {
  return changes.reduce((changed, [at, change]) => {
    const places = placesIn(changed);
    return changedAt(changed, places[at % places.length] ?? [], change);
  }, document);
}

/** Changes of a JSON document: its structure first, then at times its bytes. */
export const documentChanges: fc.Arbitrary<(document: unknown) => Buffer> = fc
  .tuple(bends, fc.option(brokenBytes, { freq: 3, nil: undefined }))
  .map(([changes, breakBytes]) => (document) => {
    const bytes = Buffer.from(writeJson(bent(document, changes)));
    return breakBytes ? breakBytes(bytes) : bytes;
  });

/** Some of these documents, changed. */
export const documentsLike = (...valid: readonly [unknown, ...unknown[]]): fc.Arbitrary<Buffer> =>
  fc.tuple(fc.constantFrom(...valid), documentChanges).map(([document, change]) => change(document));

/** Forms of these fields, changed: other values, none, two of a name, and bytes that are no form. */
export const formsLike = (fields: Readonly<Record<string, string>>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(20), fc.option(hostileTexts, { nil: undefined }), fc.boolean()), { maxLength: 3 }),
      fc.option(brokenBytes, { freq: 3, nil: undefined }),
    )
    .map(([changes, breakBytes]) => {
      const pairs = Object.entries(fields);
      for (const [at, value, isAdded] of changes) {
        const place = at % Math.max(pairs.length, 1);
        const changed = value === undefined ? [] : [[pairs[place]?.[0] ?? 'x', value] as [string, string]];
        pairs.splice(place, isAdded ? 0 : 1, ...changed);
      }
      const written = pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]);
      const bytes = Buffer.from(new URLSearchParams(written).toString());
      return breakBytes ? breakBytes(bytes) : bytes;
    });
