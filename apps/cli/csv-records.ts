import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { parse } from 'csv-parse/sync';

/** Longer than any real row; an unclosed quote must not read the whole file into memory. */
const maxRowBytes = 256 * 1024;
/** Includes quotes, which can double the length of a cell. */
const maxRowCharacters = 4 * maxRowBytes;

export interface CsvRecord {
  /** The line on which the record ends. */
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * The records of a CSV file in arrays of some hundreds. Text without quotes, which is most of most files, is split at line ends and commas, which is
 * fast. The rest is parsed by csv-parse, which inspects each byte; a test compares both.
 */
export async function* csvRecords(source: Readable): AsyncGenerator<CsvRecord[]> {
  let decoder: StringDecoder | undefined;
  let delimiter: Delimiter | undefined;
  let rest = '';
  let lines = 0;
  const read = (text: string, isEnd: boolean) => {
    const found =
      delimiter && isPlain(text, delimiter)
        ? splitLines(text, delimiter, lines)
        : parseText(text, delimiter, lines, isEnd);
    lines = found.lines;
    return found.records;
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    decoder ??= new StringDecoder(chunk[0] === 0xff && chunk[1] === 0xfe ? 'utf16le' : 'utf8');
    rest += decoder.write(chunk);
    if (!delimiter && rest.startsWith(byteOrderMark)) rest = rest.slice(1);
    delimiter ??= delimiterOf(rest);
    const end = delimiter ? endOfRecords(rest, delimiter) : 0;
    if (end > 0) yield read(rest.slice(0, end), false);
    rest = rest.slice(end);
    // Longer than any row may be; csv-parse throws the error.
    if (rest.length > maxRowCharacters) parsed(rest, delimiter, lines);
  }
  rest += decoder?.end() ?? '';
  if (rest !== '') yield read(rest, true);
}

const byteOrderMark = '\uFEFF';

type Delimiter = '\n' | '\r\n' | '\r';

/** The first line's delimiter applies to every line. Undefined until it is known. */
function delimiterOf(text: string): Delimiter | undefined {
  for (const [place, part] of text.split('"').entries()) {
    const at = place % 2 === 0 ? part.search(/[\r\n]/) : -1;
    if (at < 0) continue;
    if (part[at] === '\n') return '\n';
    if (part[at + 1] === '\n') return '\r\n';
    // At the end of a chunk, the line feed may follow in the next one.
    return at + 1 < part.length ? '\r' : undefined;
  }
  return undefined;
}

/** The end of the last complete record: a line break within quotes does not end a record. */
function endOfRecords(text: string, delimiter: Delimiter): number {
  let end = 0;
  let from = 0;
  for (const [place, part] of text.split('"').entries()) {
    const at = place % 2 === 0 ? part.lastIndexOf(delimiter) : -1;
    if (at >= 0) end = from + at + delimiter.length;
    from += part.length + 1;
  }
  return end;
}

/** Matches text that cannot be split simply: a quote, or another line delimiter. */
const odd: Readonly<Record<Delimiter, RegExp>> = {
  '\n': /["\r]/,
  '\r\n': /"|\r(?!\n)|(?<!\r)\n/,
  '\r': /["\n]/,
};

const isPlain = (text: string, delimiter: Delimiter): boolean => !odd[delimiter].test(text);

interface Found {
  readonly records: CsvRecord[];
  /** The number of lines read so far. */
  readonly lines: number;
}

function splitLines(text: string, delimiter: Delimiter, before: number): Found {
  const records: CsvRecord[] = [];
  let lines = before;
  let from = 0;
  while (from < text.length) {
    let at = text.indexOf(delimiter, from);
    if (at < 0) at = text.length;
    lines += 1;
    if (at - from > maxRowBytes / 3) return parseText(text, delimiter, before, at === text.length);
    if (at > from) records.push({ line: lines, cells: text.slice(from, at).split(',') });
    from = at + delimiter.length;
  }
  return { records, lines };
}

function parseText(text: string, delimiter: Delimiter | undefined, before: number, isEnd: boolean): Found {
  // An additional record reveals the number of lines, including lines without a record.
  const read = parsed(isEnd ? text : `${text}x`, delimiter, before);
  const lines = before + (isEnd ? 0 : (read.pop()?.info.lines ?? 1) - 1);
  return { records: read.map(({ record, info }) => ({ line: before + info.lines, cells: record })), lines };
}

function parsed(text: string, delimiter: Delimiter | undefined, before: number) {
  try {
    return parse(text, {
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: maxRowBytes,
      ...(delimiter && { record_delimiter: delimiter }),
    }) as unknown as { record: string[]; info: { lines: number } }[];
  } catch (error) {
    // csv-parse counts lines from the start of the given text.
    throw new Error(
      (error as Error).message.replace(/at line (\d+)/, (_, line) => `at line ${before + Number(line)}`),
      {
        cause: error,
      },
    );
  }
}
