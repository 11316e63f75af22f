import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openAttributedDays } from '@tributary/domain/reports/room.ts';
import { daysOf, minorDigits } from '@tributary/rules';
import { attributionModelNames } from '@tributary/vocabulary';
import { z } from 'zod';

/** What a folder holds. A day without conversions has no file. Money is in minor units. */
const Day = z.object({
  day: z.string(),
  file: z.string().nullable(),
  bytes: z.number(),
  sha256: z.string().nullable(),
  rows: z.number(),
  conversions: z.number(),
  payments: z.number(),
  value: z.string(),
});
const Manifest = z.object({
  format: z.literal(1),
  profile_id: z.string(),
  date_from: z.string(),
  date_to: z.string(),
  as_of: z.string(),
  currency: z.string(),
  minor_digits: z.number(),
  time_zone: z.string(),
  models: z.array(z.string()),
  is_whole: z.boolean(),
  total: z.object({ conversions: z.number(), payments: z.number(), value: z.string() }),
  days: z.array(Day),
});
type Manifest = z.infer<typeof Manifest>;

type Asked = Parameters<typeof openAttributedDays>[2];

export interface ParquetExport {
  readonly folder: string;
  readonly dateFrom: string;
  readonly dateTo: string;
  /** Undefined: the latest moment that is settled. */
  readonly asOf?: string | undefined;
  readonly progress: (done: number, total: number) => void;
}

/**
 * Writes a file for each day and a manifest beside them, after every day anew: whoever is stopped goes on with the days that are missing, at the
 * moment at which it began. What is written of a day is held against the report of the day, and the days against the report of all of them.
 */
export async function exportParquet(wanted: ParquetExport, asked: Asked): Promise<Manifest> {
  const { folder, dateFrom, dateTo, progress } = wanted;
  const path = join(folder, 'manifest.json');
  const range = { date_from: dateFrom, date_to: dateTo };
  const known = await readManifest(path);
  const { profileId } = asked.caller;
  const isOther =
    known &&
    (known.profile_id !== profileId ||
      known.date_from !== dateFrom ||
      known.date_to !== dateTo ||
      (wanted.asOf !== undefined && new Date(wanted.asOf).toISOString() !== known.as_of));
  if (isOther) throw new Error('The folder holds another export. Choose an empty one.');
  const source = await openAttributedDays(known?.as_of ?? wanted.asOf ?? asked.now.toISOString(), range, asked);
  const all = daysOf(dateFrom, dateTo);
  const days: Manifest['days'] = [];
  const manifest = (isWhole: boolean): Manifest => ({
    format: 1,
    profile_id: profileId,
    ...range,
    as_of: source.asOf,
    currency: source.currency,
    minor_digits: minorDigits(source.currency),
    time_zone: source.timeZone,
    models: [...attributionModelNames],
    is_whole: isWhole,
    total: source.whole,
    days,
  });
  for (const day of all) {
    asked.signal.throwIfAborted();
    const before = known?.days.find((one) => one.day === day);
    days.push(before && (await isThere(folder, before)) ? before : await writeDay(day));
    await writeWhole(path, `${JSON.stringify(manifest(false), undefined, 2)}\n`);
    progress(days.length, all.length);
  }
  const sum = (figure: 'conversions' | 'payments' | 'value') =>
    String(days.reduce((total, day) => total + BigInt(day[figure]), 0n));
  for (const figure of ['conversions', 'payments', 'value'] as const)
    if (sum(figure) !== String(source.whole[figure]))
      throw new Error(`The days do not add up to the report of all of them: ${figure}.`);
  await writeWhole(path, `${JSON.stringify(manifest(true), undefined, 2)}\n`);
  return manifest(true);

  async function writeDay(day: string): Promise<Manifest['days'][number]> {
    const { read, rows, ...figures } = await source.open(day);
    if (rows === 0) return { day, file: null, bytes: 0, sha256: null, rows, ...figures };
    // Whoever reads folders by their names has the day as a column.
    const file = join(`day=${day}`, 'conversions.parquet');
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(await read(), createWriteStream(`${target}.part`), { signal: asked.signal });
    await rename(`${target}.part`, target);
    return { day, file, bytes: (await stat(target)).size, sha256: await hashOf(target), rows, ...figures };
  }
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} is not a manifest of an export.`, { cause: error });
  }
}

/** Whole or not at all, should somebody pull the plug. */
async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

async function isThere(folder: string, { file, sha256 }: Manifest['days'][number]): Promise<boolean> {
  if (file === null) return true;
  try {
    return (await hashOf(join(folder, file))) === sha256;
  } catch {
    return false;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
