import { once } from 'node:events';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { connectionOptions } from '../packages/stream/link.ts';

/** The bare side of the collector bench: JetStream's own client publishing one message of ten visits at a time, with a fixed number in flight. */
const [natsUrl = '', prefix = '', inFlight = '64'] = process.argv.slice(2);
const nats = await connect({ ...connectionOptions(natsUrl), noAsyncTraces: true });
const log = jetstream(nats);
process.send?.('ready');

while (true) {
  const [{ payload, seconds }] = (await once(process, 'message')) as [{ payload: string; seconds: number }];
  const bytes = Buffer.from(payload);
  let published = 0;
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  const lane = async (place: number) => {
    for (let index = 0; performance.now() < until; index += 1) {
      await log.publish(`${prefix}.visits.${(place + index) % 16}`, bytes, { msgID: `${startedAt}-${place}-${index}` });
      published += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, (_, place) => lane(place)));
  process.send?.({ perSecond: published / ((performance.now() - startedAt) / 1_000) });
}
