import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRecords } from './csv-records.ts';

type Read = { readonly line: number; readonly cells: readonly string[] }[] | string;

const saying = (error: unknown) => (error as Error).message;

async function ours(chunks: readonly Buffer[]): Promise<Read> {
  try {
    return (await Array.fromAsync(csvRecords(Readable.from(chunks)))).flat();
  } catch (error) {
    return saying(error);
  }
}

/** The result of csv-parse on the whole input. */
async function theirs(chunks: readonly Buffer[]): Promise<Read> {
  const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 262_144 };
  const rows: AsyncIterable<{ record: string[]; info: { lines: number } }> = Readable.from(chunks).pipe(parse(options));
  try {
    return (await Array.fromAsync(rows)).map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    return saying(error);
  }
}

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('a', ',', '\n', 'é', '😀', ' ', '"x"', '"x,y"', '"x\ny"', '"a""b"', ',,', '\n\n'),
  },
  { weight: 1, arbitrary: fc.constantFrom('"', '\r\n', '\r') },
);

test('reads text in any chunks as csv-parse does, with the same line numbers and errors', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('', '\uFEFF'),
      fc.array(piece, { maxLength: 40 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(60), { maxLength: 6 }),
      async (mark, pieces, delimiter, cuts) => {
        const bytes = Buffer.from(mark + pieces.join('').replaceAll('\n', delimiter));
        const at = [...new Set([0, ...cuts, bytes.length])].filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
        const chunks = at.slice(1).map((end, place) => bytes.subarray(at[place], end));
        expect(await ours(chunks)).toEqual(await theirs(chunks));
      },
    ),
  );
});

test('refuses a row above the maximum length, with or without an unclosed quote', async () => {
  for (const begin of ['a,b\n', 'a,b\n"']) {
    const chunks = Array.from({ length: 40 }, (_, place) => Buffer.from((place ? '' : begin) + 'x'.repeat(65_536)));
    const records = await ours(chunks);
    expect(records).toBe(await theirs(chunks));
    expect(records).toContain('at line 2');
  }
});
