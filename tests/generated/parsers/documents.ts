import fc from 'fast-check';
import { hostileTexts, writeJson } from '../hostile.ts';
import { byteChanges, changedAt, pathsIn, valueChanges } from '../mutations.ts';

/** A change of the structure of a document, at one of its paths. */
type Mutation = readonly [path: number, change: (value: unknown) => unknown];

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(fc.tuple(fc.nat(400), valueChanges), { maxLength: 3 });

const cuts = fc
  .double({ min: 0, max: 1, noNaN: true })
  .map((share) => (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * share)));
const flips = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(7)).map(([share, bit]) => (bytes: Buffer) => {
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * share));
  const flipped = Buffer.from(bytes);
  if (at >= 0) flipped[at] = (flipped[at] as number) ^ (1 << bit);
  return flipped;
});

/** Truncates, flips a bit, changes the encoding or replaces the bytes. */
export const brokenBytes: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc.oneof(byteChanges, cuts, flips);

function mutate(document: unknown, changes: readonly Mutation[]): unknown {
  return changes.reduce((changed, [at, change]) => {
    const paths = pathsIn(changed);
    return changedAt(changed, paths[at % paths.length] ?? [], change);
  }, document);
}

/** Mutates the structure of a JSON document, and sometimes its bytes. */
export const documentChanges: fc.Arbitrary<(document: unknown) => Buffer> = fc
  .tuple(mutations, fc.option(brokenBytes, { freq: 3, nil: undefined }))
  .map(([changes, breakBytes]) => (document) => {
    const bytes = Buffer.from(writeJson(mutate(document, changes)));
    return breakBytes ? breakBytes(bytes) : bytes;
  });

/** Mutated versions of these documents. */
export const documentsLike = (...valid: readonly [unknown, ...unknown[]]): fc.Arbitrary<Buffer> =>
  fc.tuple(fc.constantFrom(...valid), documentChanges).map(([document, change]) => change(document));

/** Mutated forms of these fields: other, missing and duplicate values, and invalid bytes. */
export const formsLike = (fields: Readonly<Record<string, string>>): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(20), fc.option(hostileTexts, { nil: undefined }), fc.boolean()), { maxLength: 3 }),
      fc.option(brokenBytes, { freq: 3, nil: undefined }),
    )
    .map(([changes, breakBytes]) => {
      const pairs = Object.entries(fields);
      for (const [at, value, isAdded] of changes) {
        const index = at % Math.max(pairs.length, 1);
        const changed = value === undefined ? [] : [[pairs[index]?.[0] ?? 'x', value] as [string, string]];
        pairs.splice(index, isAdded ? 0 : 1, ...changed);
      }
      const wellFormed = pairs.map(([name, value]): [string, string] => [name, value.toWellFormed()]);
      const bytes = Buffer.from(new URLSearchParams(wellFormed).toString());
      return breakBytes ? breakBytes(bytes) : bytes;
    });
