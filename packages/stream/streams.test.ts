import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import { openPrivateStream, type PrivateStream, testUrl } from '@tributary/testkit/stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSafe } from './ensure-streams.ts';
import { ServerUnsuitable, StreamConflict } from './errors.ts';
import { connectionOptions } from './link.ts';
import { declareStreams, defaultStreamSettings } from './streams.ts';

let own: PrivateStream;
beforeAll(async () => {
  own = await openPrivateStream();
});
afterAll(() => own.destroy());

async function configOf(stream: string) {
  const nats = await connect(connectionOptions(testUrl));
  try {
    return (await (await jetstreamManager(nats)).streams.info(`${own.prefix}-${stream}`)).config;
  } finally {
    await nats.close();
  }
}

test('visits are stored in files, expire by age, and are never deleted to make space', async () => {
  expect(await configOf('visits')).toMatchObject({
    subjects: [`${own.prefix}.visits.*`],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    num_replicas: 1,
    max_age: nanos(7 * 24 * 60 * 60_000),
    duplicate_window: nanos(120_000),
    max_msg_size: 900 * 1024,
  });
});

test('dead letters do not expire', async () => {
  expect(await configOf('dead-letters')).toMatchObject({ storage: 'file', max_age: 0, max_bytes: -1, max_msgs: -1 });
});

test('streams have as many replicas as configured', () => {
  const streams = declareStreams('x', { ...defaultStreamSettings, replicas: 3, count: 2 });
  expect(
    Object.values(streams)
      .flat()
      .map((stream) => stream.config.num_replicas),
  ).toEqual([3, 3, 3]);
});

test('ensureStreams can be repeated and run concurrently, and applies a changed setting', async () => {
  await Promise.all([own.stream.ensureStreams(), own.stream.ensureStreams(), own.stream.ensureStreams()]);
  const longer = await own.another({ retentionMs: 8 * 24 * 60 * 60_000 });
  await longer.ensureStreams();
  expect((await configOf('visits')).max_age).toBe(nanos(8 * 24 * 60 * 60_000));
  await own.stream.ensureStreams();
});

test('ensureStreams succeeds again for a stream that reserves most of the storage', async () => {
  const large = await own.another({ maxBytes: 12_000_000_000 });
  await large.ensureStreams();
  await large.ensureStreams();
  expect((await configOf('visits')).max_bytes).toBe(12_000_000_000);
  const ordinary = await own.another({});
  await ordinary.ensureStreams();
});

test('throws a typed error for requirements that the server cannot meet', async () => {
  const tooMany = await own.another({ replicas: 3 });
  await expect(tooMany.ensureStreams()).rejects.toThrow(StreamConflict);
  const tooLarge = await own.another({ maxMessageBytes: 4 << 20 });
  await expect(tooLarge.ensureStreams()).rejects.toThrow(ServerUnsuitable);
});

test('rejects server versions that lose acknowledged messages', () => {
  expect(['2.9.10', '2.10.22', '2.10.26'].map(isSafe)).toEqual([false, false, false]);
  expect(['2.10.27', '2.11.0', '3.0.0-beta.1'].map(isSafe)).toEqual([true, true, true]);
});
