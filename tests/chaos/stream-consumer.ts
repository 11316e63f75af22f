import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectStream } from '@tributary/stream';

/**
 * The reader of the stream drill, in a separate process that the drill can kill. It logs the messages that it handled before it acknowledges
 * them. Each process has its own log file, so a line that a kill cuts off is the last line of its file.
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
  // Messages of a killed reader are redelivered after this time. The default of half a minute would slow the drill down.
  ackWaitMs: 2_000,
  async handler(batch) {
    // Reports the number of messages that are in progress and not logged yet, so that the drill can kill at the worst time.
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
// Exits when the drill is interrupted.
process.once('disconnect', () => process.exit(1));
