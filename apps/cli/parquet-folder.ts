import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openAttributedDays } from '@tributary/domain/measurement/reports/module.ts';
import { daysOf, minorDigits } from '@tributary/rules';
import { FileNotFound, Meter, readText, type Storage, writeStream } from '@tributary/storage';
import { attributionModelNames } from '@tributary/vocabulary';
import { z } from 'zod';

/** An exported day. A day without conversions has no file. Money is in minor units. */
const Day = z.object({
  day: z.string(),
  file: z
    .string()
    .regex(/^day=\d{4}-\d{2}-\d{2}\/conversions\.parquet$/)
    .nullable(),
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

type ExportContext = Parameters<typeof openAttributedDays>[2];

export interface ParquetExport {
  /** A folder or a bucket; an export that was interrupted there is resumed. */
  readonly storage: Storage;
  readonly dateFrom: string;
  readonly dateTo: string;
  /** Undefined: the latest settled time. */
  readonly asOf?: string | undefined;
  readonly progress: (done: number, total: number) => void;
}

/**
 * Writes a file per day and a manifest, which is rewritten after every day: an interrupted run continues with the missing days, as of its original
 * time. Each day is compared with the day's report, and their sum with the report of the whole range.
 */
export async function exportParquet(options: ParquetExport, context: ExportContext): Promise<Manifest> {
  const { storage, dateFrom, dateTo, progress } = options;
  const range = { date_from: dateFrom, date_to: dateTo };
  const existing = await readManifest(storage);
  const { profileId } = context.caller;
  const isOther =
    existing &&
    (existing.profile_id !== profileId ||
      existing.date_from !== dateFrom ||
      existing.date_to !== dateTo ||
      (options.asOf !== undefined && new Date(options.asOf).toISOString() !== existing.as_of));
  if (isOther) throw new Error('The folder holds another export. Choose an empty one.');
  const source = await openAttributedDays(existing?.as_of ?? options.asOf ?? context.now.toISOString(), range, context);
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
    context.signal.throwIfAborted();
    const before = existing?.days.find((one) => one.day === day);
    days.push(before && (await isThere(storage, before)) ? before : await writeDay(day));
    await writeManifest(storage, manifest(false));
    progress(days.length, all.length);
  }
  const sum = (figure: 'conversions' | 'payments' | 'value') =>
    String(days.reduce((total, day) => total + BigInt(day[figure]), 0n));
  for (const figure of ['conversions', 'payments', 'value'] as const)
    if (sum(figure) !== String(source.whole[figure]))
      throw new Error(`The days do not add up to the report of all of them: ${figure}.`);
  await writeManifest(storage, manifest(true));
  return manifest(true);

  async function writeDay(day: string): Promise<Manifest['days'][number]> {
    const { read, rows, ...figures } = await source.open(day);
    if (rows === 0) return { day, file: null, bytes: 0, sha256: null, rows, ...figures };
    // Hive partitioning: readers that understand folder names get the day as a column.
    const file = `day=${day}/conversions.parquet`;
    const meter = new Meter();
    await writeStream(storage, file, addAbortSignal(context.signal, await read()), meter);
    return { day, file, ...meter.result(), rows, ...figures };
  }
}

const manifestFile = 'manifest.json';
/** Enough for one line per day over many years. */
const maxManifestBytes = 16 << 20;

async function readManifest(storage: Storage): Promise<Manifest | undefined> {
  try {
    return Manifest.parse(JSON.parse(await readText(storage.read(manifestFile), maxManifestBytes)));
  } catch (error) {
    if (error instanceof FileNotFound) return undefined;
    if (error instanceof SyntaxError || error instanceof RangeError || error instanceof z.ZodError)
      throw new Error(`${manifestFile} is not a manifest of an export.`, { cause: error });
    throw error;
  }
}

const writeManifest = (storage: Storage, manifest: Manifest): Promise<number> =>
  storage.write(manifestFile, Readable.from([Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]));

async function isThere(storage: Storage, { file, sha256 }: Manifest['days'][number]): Promise<boolean> {
  if (file === null) return true;
  const meter = new Meter();
  meter.resume();
  try {
    await pipeline(storage.read(file), meter);
    return meter.result().sha256 === sha256;
  } catch (error) {
    if (error instanceof FileNotFound) return false;
    throw error;
  }
}
