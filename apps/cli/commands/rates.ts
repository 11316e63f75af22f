import { createReadStream } from 'node:fs';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { priceOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import { type Quote, readRateRow } from '@tributary/rules';
import { Command } from 'commander';
import { parse } from 'csv-parse';
import { withLedgers } from '../ledgers.ts';
import { printItem } from '../output.ts';

const batchSize = 5_000;

export const ratesCommand = () =>
  new Command('rates').addCommand(
    new Command('import')
      .description('Take rates from a CSV file: day,currency,per_usd (units for one US dollar)')
      .argument('<file>')
      .option('--json', 'machine-readable output')
      .action((file: string, { json }: { json?: boolean }) =>
        withLedgers(async ({ app, platform }) => {
          const system = await platform.postgres('system', { poolSize: 2 });
          const shards = [...system.shards.values()];
          const rates = await importRates(file, async (quotes) => {
            for (const shard of shards) await saveRates(shard, 'file', quotes);
          });
          let converted = 0;
          for (const shard of shards) converted += await priceOutcomes(app, shard, new AbortController().signal);
          printItem({ rates, outcomes_converted: converted }, json, 'Imported.');
        }),
      ),
  );

/** Stops at the first invalid row: a file with one wrong line is probably wrong in others. Running it again starts over. */
async function importRates(file: string, save: (quotes: readonly Quote[]) => Promise<void>): Promise<number> {
  const rows = createReadStream(file).pipe(
    parse({ bom: true, info: true, relax_column_count: true, skip_empty_lines: true, max_record_size: 1_000 }),
  );
  let imported = 0;
  let isHeader = true;
  let batch: Quote[] = [];
  for await (const { record, info } of rows as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
    if (isHeader) {
      isHeader = false;
      if (record.map((name) => name.trim().toLowerCase()).join() !== 'day,currency,per_usd')
        throw new Error('The first line must be "day,currency,per_usd".');
      continue;
    }
    const quotes = readRateRow(record);
    if (!quotes || record.length !== 3)
      throw new Error(`Line ${info.lines} is no rate. One looks like "2026-05-04,CLP,951.23".`);
    batch.push(...quotes);
    imported += 1;
    if (batch.length < batchSize) continue;
    await save(batch);
    batch = [];
  }
  await save(batch);
  return imported;
}
