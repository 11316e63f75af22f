import { join } from 'node:path';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { pipeline } from '@tributary/domain/traffic/ingestion/module.ts';
import { connectStream } from '@tributary/stream';
import { buildProfile, Killable, type Testkit } from '@tributary/testkit';
import { delivered, messageOf, openTestIngestion } from '../domain/traffic/ingestion/ingestion.fixture.ts';
import type { Cpu, CpuMeter } from './cpu.ts';
import { KeepAliveClient } from './keep-alive-client.ts';
import { makeRequest, makeVisits, openTracked } from './visits.ts';

/** A typical request of a browser: a page, occasionally with a second one. */
export const visitsPerRequest = 2;
const requests = 12_000;
const inFlight = 64;
const profiles = 20;
const [batches, messages] = [20, 500] as const;

/** The cost of a visit until it is in the stream, and its size there. */
export async function costOfCollecting(kit: Testkit, meter: CpuMeter): Promise<{ cpu: Cpu; bytes: number }> {
  const key = await openTracked(kit.app);
  const stream = await connectStream({ url: kit.natsUrl, prefix: kit.streamPrefix });
  await stream.ensureStreams();
  const server = new Killable<{ port: number }>(join(import.meta.dirname, 'collector-server.ts'), [
    kit.database.collectorUrl,
    kit.redisUrl,
    kit.natsUrl,
    kit.streamPrefix,
  ]);
  try {
    const client = await new KeepAliveClient((await server.start()).port).open(inFlight);
    const send = async (count: number) => {
      const waiting = Array.from({ length: count }, () => makeRequest(key, visitsPerRequest));
      return async () => {
        const answered = await client.send(waiting, 'HTTP/1.1 204');
        if (answered !== count) throw new Error(`${answered} of ${count} requests were taken`);
      };
    };
    await (await send(requests / 4))();
    const before = (await stream.fill()).bytes;
    const work = await send(requests);
    const visits = requests * visitsPerRequest;
    const cpu = await meter.measure(visits, { collector: server.pid }, work);
    const bytes = Math.round(((await stream.fill()).bytes - before) / visits);
    client.close();
    return { cpu, bytes };
  } finally {
    await server.kill();
    await stream.close();
  }
}

/** The cost from the stream to ClickHouse, including one merge of its rows. */
export async function costOfStoring(
  kit: Testkit,
  clickhouse: ClickHouse,
  meter: CpuMeter,
): Promise<{ cpu: Cpu; merging: Cpu; bytes: { visit: number; touch: number } }> {
  const owners = await Promise.all(Array.from({ length: profiles }, () => buildProfile(kit.app)));
  const handle = pipeline(openTestIngestion(kit.app, clickhouse, () => new Date()));
  const makeBatch = () =>
    Array.from({ length: messages }, (_, place) =>
      delivered(
        messageOf({
          profileId: owners[place % profiles]?.id ?? '',
          receivedAt: new Date(),
          visits: makeVisits(visitsPerRequest),
        }),
      ),
    );
  for (let round = 0; round < 5; round += 1) await handle(makeBatch());
  const made = Array.from({ length: batches }, makeBatch);
  const visits = batches * messages * visitsPerRequest;
  const cpu = await meter.measure(visits, { worker: process.pid }, async () => {
    for (const batch of made) await handle(batch);
  });
  const merging = await meter.measure(visits, {}, async () => {
    for (const table of ['visits', 'touches']) await clickhouse.command(raw(`OPTIMIZE TABLE ${table} FINAL`), {});
  });
  return {
    cpu,
    merging,
    bytes: { visit: await bytesPerRow(clickhouse, 'visits'), touch: await bytesPerRow(clickhouse, 'touches') },
  };
}

/** The size on disk of merged parts. */
export async function bytesPerRow(clickhouse: ClickHouse, table: string): Promise<number> {
  const [found] = await clickhouse.query(
    raw<{ bytes: number }>(
      'SELECT toFloat64(sum(bytes_on_disk) / sum(rows)) AS bytes FROM system.parts WHERE active AND database = currentDatabase() AND table = {table:String}',
    ),
    { table },
  );
  return Math.round(found?.bytes ?? Number.NaN);
}
