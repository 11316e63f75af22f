import { startSequencer } from '@tributary/domain/tenancy/events/module.ts';
import { createPostgres } from '@tributary/postgres';

/** Runs only the sequencer, so that a drill can kill it. */
const [systemUrl = ''] = process.argv.slice(2);
const postgres = createPostgres({ url: systemUrl, poolSize: 1 });
startSequencer({ system: postgres.unbound, now: () => new Date(), onError: (error) => console.error(error) });
process.send?.('ready');
