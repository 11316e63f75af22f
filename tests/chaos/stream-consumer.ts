import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectStream } from '@tributary/stream';

/**
 * The reader of the stream drill, as a process of its own so that it can be killed -9. It writes down what it handled before
 * it acknowledges, in one file per life: a line that a kill tore in half is then the last one of its file.
 */
const [url = '', prefix = '', name = '', file = ''] = process.argv.slice(2);
const workMs = 10;
const journal = openSync(file, 'a');
const stream = await connectStream({ url, prefix, connectMs: 60_000 });

await stream.consume({
  name,
  maxMessages: 100,
  maxWaitMs: 20,
  pullMs: 1_000,
  // What a killed reader held comes again after this; the drill should not wait half a minute for it.
  ackWaitMs: 2_000,
  async handler(batch) {
    // Tells the drill when a kill hurts most: messages in hand, nothing written yet.
    process.send?.(batch.length);
    await sleep(workMs);
    for (const message of batch) {
      const sent = Buffer.from(message.payload).toString('ascii', 0, message.id.length);
      if (sent !== message.id) message.reject('not what was sent');
    }
    writeSync(journal, batch.map((message) => `${message.id}\n`).join(''));
    process.send?.(0);
  },
});

process.once('SIGTERM', async () => {
  await stream.close();
  process.exit(0);
});
// A drill that was interrupted leaves nobody behind.
process.once('disconnect', () => process.exit(1));
