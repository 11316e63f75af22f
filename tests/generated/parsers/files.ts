import { Readable } from 'node:stream';
import { Refusal } from '@tributary/operations';
import fc from 'fast-check';
import { csvRecords } from '../../../apps/cli/csv-records.ts';
import { detectMediaType } from '../../../domain/advertising/creatives/picture.ts';
import { openLinkToken, sealLinkToken } from '../../../domain/commerce/link-tokens/token.ts';
import { readCsv } from '../../../packages/operations/read-csv.ts';
import { hostileTexts } from '../hostile.ts';
import { brokenBytes } from './documents.ts';
import { type ParserTarget, parserTarget } from './target.ts';

/** Files and tokens, read without a server. */
export const fileTargets = (): ParserTarget[] => [csvFiles, csvBodies, pictures, linkTokens];

const cells = fc.oneof(
  { weight: 6, arbitrary: hostileTexts },
  { weight: 2, arbitrary: fc.constantFrom('=1+1', '@SUM(A1)', '"', '""', '"a""b"', 'a"b', '\r', '\n', ' ,', '"\n"') },
  { weight: 1, arbitrary: fc.constantFrom(10_000, 300_000).map((length) => 'x'.repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 200_000).map((count) => ','.repeat(count)) },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 200_000).map((count) => '"'.repeat(count)) },
);
const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const ends = fc.constantFrom('\n', '\r\n', '\r', '\n\r', '');

/** CSV with misplaced quotes, mixed line endings, and cells and lines of any size, sometimes with mutated bytes. */
const tables: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.array(fc.tuple(fc.array(fc.tuple(cells, fc.boolean()), { maxLength: 4 }), ends), { maxLength: 6 }),
    fc.constantFrom('', '\ufeff', 'email,phone\n', '\ufeffemail,phone\r\n', '__proto__,constructor\n', ',,\n'),
    fc.option(brokenBytes, { freq: 3, nil: undefined }),
    fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'utf16le', 'latin1'),
  )
  .map(([rows, head, change, encoding]) => {
    const lines = rows.map(
      ([row, end]) => row.map(([cell, isQuoted]) => (isQuoted ? quoted(cell) : cell)).join() + end,
    );
    const bytes = Buffer.from(head + lines.join(''), encoding);
    return change ? change(bytes) : bytes;
  });

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const csvFiles = parserTarget<{ bytes: Buffer; size: number }>({
  name: 'CSV files',
  inputs: fc.record({ bytes: tables, size: fc.constantFrom(7, 1_000, 65_536) }),
  // Files of operators are larger than requests.
  maxCpuMs: 2_000,
  async check({ bytes, size }) {
    const chunkSize = bytes.length > 100_000 ? 65_536 : size;
    const source = Readable.from(chunksOf(bytes, chunkSize), { objectMode: false });
    try {
      for await (const records of csvRecords(source))
        for (const { cells: row } of records)
          if (row.some((cell) => typeof cell !== 'string')) return 'a cell is not a string';
    } catch (error) {
      // An error of the command line names the line.
      return error instanceof Error && /at line \d+|on line \d+|record/i.test(error.message)
        ? undefined
        : String(error);
    }
    return undefined;
  },
});

const csvBodies = parserTarget<Buffer>({
  name: 'CSV bodies',
  inputs: tables,
  async check(bytes) {
    try {
      const items = readCsv(bytes.toString('utf8'));
      return items.some((item) => Object.getPrototypeOf(item) !== Object.prototype)
        ? 'a row has a modified prototype'
        : undefined;
    } catch (error) {
      return error instanceof Refusal ? undefined : String(error);
    }
  },
});

/** Image headers with dimensions that would exhaust memory. */
const imageHeaders = [
  [...Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x06\0\0\0', 'latin1')],
  [...Buffer.from('\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03', 'latin1')],
  [...Buffer.from('GIF89a\xff\xff\xff\xff\xf7\0\0', 'latin1')],
  [...Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8X', 'latin1')],
  [...Buffer.from('\0\0\0\x1cftypavif', 'latin1')],
  [...Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">')],
  [...Buffer.from('<!DOCTYPE svg [<!ENTITY a "aaaa">]>')],
];
const allowedTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', undefined];

const pictures = parserTarget<Buffer>({
  name: 'pictures',
  inputs: fc
    .tuple(fc.constantFrom(...imageHeaders), fc.uint8Array({ maxLength: 64 }), brokenBytes, fc.boolean())
    .map(([begin, rest, change, isBroken]) => {
      const bytes = Buffer.from([...begin, ...rest]);
      return isBroken ? change(bytes) : bytes;
    }),
  async check(bytes) {
    const type = detectMediaType(bytes);
    if (!allowedTypes.includes(type)) return `the detected type is ${type}`;
    return type !== undefined && /^\s*</.test(bytes.toString('latin1')) ? 'markup is accepted as an image' : undefined;
  },
});

const key = { id: 'parsers', bytes: Buffer.alloc(32, 5) };
const profileId = '0197f6a0-0000-7000-8000-000000000000';
const at = new Date('2026-06-15T12:00:00.000Z');
const token = sealLinkToken(key, profileId, {
  customerId: '0197f6a0-0000-7000-8000-00000000abcd',
  expiresAt: new Date('2026-06-16T12:00:00.000Z'),
});

const linkTokens = parserTarget<string>({
  name: 'link tokens',
  inputs: fc.oneof(
    brokenBytes.map((change) => change(Buffer.from(token)).toString('latin1')),
    brokenBytes.map((change) => change(Buffer.from(token, 'base64url')).toString('base64url')),
    hostileTexts,
  ),
  async check(text) {
    return openLinkToken([key], profileId, text, at) && text !== token ? 'a forged token is accepted' : undefined;
  },
});
