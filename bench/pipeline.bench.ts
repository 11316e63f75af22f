import { type ClickHouse, createClickHouse } from '@tributary/clickhouse';
import { pipeline } from '@tributary/domain/traffic/ingestion/module.ts';
import { alternate, type Bench, buildProfile, median, openDrillKit, openWarehouse } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { delivered, messageOf, openTestIngestion } from '../domain/traffic/ingestion/ingestion.fixture.ts';
import { makeVisits } from './visits.ts';

const rounds = 7;
/** The messages that the worker takes from the stream at once, and the visits in a browser's request. */
const messages = 200;
const visitsPerRequest = 10;
const profiles = 20;

/** Measures everything between the stream and ClickHouse: decrypting, identifying browsers, assigning visits, and the steps without work. */
export const bench: Bench = {
  name: 'pipeline',
  question: 'How many visits a second does the worker’s pipeline store, to bare inserts of the same rows?',
  better: 'higher',

  async run({ progress }) {
    const kit = await openDrillKit('bench-pipeline', ['postgres', 'clickhouse']);
    const warehouse = await openWarehouse(kit);
    const bare = createClickHouse({ url: kit.clickhouseUrl, database: kit.clickhouseDatabase });
    try {
      const owners = await Promise.all(Array.from({ length: profiles }, () => buildProfile(kit.app)));
      const written: Parameters<ClickHouse['insertArrays']>[] = [];
      const watched = {
        ...warehouse.client,
        insertArrays: (...insert: Parameters<ClickHouse['insertArrays']>) => {
          written.push(insert);
          return warehouse.client.insertArrays(...insert);
        },
      };
      const handle = pipeline(openTestIngestion(kit.app, watched, () => new Date()));
      const visits = messages * visitsPerRequest;
      const perSecond = async (work: () => Promise<unknown>) => {
        const startedAt = performance.now();
        await work();
        return visits / ((performance.now() - startedAt) / 1_000);
      };
      const sides = await alternate(
        rounds,
        () => {
          // Prepared in advance, so that the collector's cost is not measured.
          const batch = Array.from({ length: messages }, (_, place) =>
            delivered(
              messageOf({
                profileId: owners[place % profiles]?.id ?? '',
                receivedAt: new Date(),
                visits: makeVisits(visitsPerRequest),
              }),
            ),
          );
          written.length = 0;
          return perSecond(() => handle(batch));
        },
        // With unique deduplication tokens: ClickHouse would skip blocks that it knows.
        () =>
          perSecond(() =>
            Promise.all(
              written.map(([table, columns, lines]) => bare.insertArrays(table, columns, lines, { token: uuid() })),
            ),
          ),
        progress,
      );
      return {
        ratio: Math.round((median(sides.ours) / median(sides.bare)) * 1_000) / 1_000,
        visits_per_second: { ours: Math.round(median(sides.ours)), bare: Math.round(median(sides.bare)) },
        visits_in_batch: visits,
        profiles,
        rounds,
      };
    } finally {
      await bare.close();
      await warehouse.drop();
      await kit.close();
    }
  },
};
