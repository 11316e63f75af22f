import { randomUUID } from 'node:crypto';
import { createClickHouse, migrate } from '@tributary/clickhouse';
import type { Drill } from '@tributary/testkit';
import { openDrillEngines } from '@tributary/testkit';
import fc from 'fast-check';
import { compareJourneys, type Difference } from '../parity/compare.ts';
import { attributeEverybody, everybody } from '../parity/everybody.ts';
import { epoch, type Journey, journeys } from '../parity/journeys.ts';

const sizes = { small: { journeys: 3_000 }, full: { journeys: 100_000 } } as const;
const chunk = 1_000;
const seed = 20_261_115;

/** Compares the attribution statement with the reference implementation, to the minor unit. */
export const drill: Drill = {
  name: 'parity',
  promise: 'One ClickHouse statement and the readable reference give every touch the same credit under all six models.',

  async run({ size, progress }) {
    const wanted = sizes[size].journeys;
    const engines = await openDrillEngines('drill-parity', ['postgres', 'clickhouse']);
    const settings = { ...engines.clickhouse, database: 'parity', requestTimeoutMs: 120_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const differences: Difference[] = [];
    let everybodySeconds: number | undefined;
    let conversions = 0;
    let touches = 0;
    let done = 0;
    const compare = async (batch: readonly Journey[]) => {
      differences.push(...(await compareJourneys(clickhouse, batch)));
      conversions += batch.reduce((sum, journey) => sum + journey.conversions.length, 0);
      touches += batch.reduce((sum, journey) => sum + journey.browsers.flat().length, 0);
      done += batch.length;
      progress(done, wanted, `${differences.length} differences`);
    };
    try {
      if (size === 'full') everybodySeconds = (await attributeEverybody(clickhouse)).seconds;
      await compare([longJourney(size === 'full' ? 50_000 : 5_000)]);
      while (done < wanted) {
        const length = Math.min(chunk, wanted - done);
        // One chunk in ten has long paths, beyond the limit of 200 touches in a path.
        const isLong = (done / chunk) % 10 >= 9;
        const sample = fc.sample(journeys(isLong ? 260 : 12), {
          seed: seed + done,
          numRuns: isLong ? length / 10 : length,
        });
        await compare(sample);
      }
    } finally {
      await clickhouse.close();
      await engines.close();
    }
    return {
      passed: differences.length === 0 && done >= wanted && (everybodySeconds ?? 0) < everybody.maxSeconds,
      journeys: done,
      conversions,
      touches,
      differences: differences.length,
      ...(everybodySeconds !== undefined && {
        everybody: { ...everybody, seconds: Math.round(everybodySeconds * 10) / 10 },
      }),
      ...(differences.length > 0 && { first: differences[0] }),
    };
  },
};

/** A walk-in customer with a phone number that everyone shares: one touch a minute, and several purchases. */
function longJourney(length: number): Journey {
  const touchAt = (index: number) => ({
    touchId: randomUUID(),
    at: epoch + index * 60_000,
    sessionId: randomUUID(),
    channel: index % 3 === 0 ? 'direct' : 'paid_social',
    source: 'facebook',
    medium: 'paid',
    platform: 'social_ads',
    campaignId: null,
    adSetId: null,
    adId: null,
  });
  return {
    personId: randomUUID(),
    browsers: [Array.from({ length }, (_, index) => touchAt(index))],
    origins: [],
    conversions: [1, 30, 365].map((lookbackDays) => ({
      conversionId: randomUUID(),
      at: epoch + length * 60_000,
      lookbackDays,
      value: 99_999n,
    })),
  };
}
