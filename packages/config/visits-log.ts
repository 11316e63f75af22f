import { z } from 'zod';
import { addresses, oneOf, setting, wholeNumber } from './setting.ts';

/** NATS, and the limits of the visit stream and the other streams. */
export const visitsLog = {
  natsUrl: setting(
    'NATS_URL',
    addresses('nats:', 'tls:'),
    'NATS with JetStream; several servers with commas between.',
    {
      fallback: 'nats://127.0.0.1:14222',
      secret: true,
    },
  ),
  streamPrefix: setting('STREAM_PREFIX', z.string().regex(/^[a-z0-9_]+$/), 'First word of our stream subjects.', {
    fallback: 'tributary',
  }),
  streamCount: setting(
    'STREAM_COUNT',
    wholeNumber(1, 64),
    'Over how many streams of NATS profiles are spread, each of them with a leader of its own. It can be raised at any time, for the workers first.',
    { fallback: '1' },
  ),
  streamMaxMegabytes: setting(
    'STREAM_MAX_MEGABYTES',
    wholeNumber(64, 100_000_000),
    "Most that the visits log takes on NATS's disk, in each of its streams. Past half of it what was handled is freed, oldest first; full, it refuses visits. With the dead letters it must fit into the server's max_file_store.",
    { fallback: '10240' },
  ),
  streamReplicas: setting(
    'STREAM_REPLICAS',
    oneOf(['1', '3', '5']).transform(Number),
    'On how many NATS servers of a cluster each visit is before it is acknowledged. With 3 one of them may be lost, disk and all. More than 1 needs so many servers.',
    { fallback: '1' },
  ),
  deadLetterMaxMegabytes: setting(
    'DEAD_LETTER_MAX_MEGABYTES',
    wholeNumber(16, 100_000_000),
    'Most that messages which could not be processed take there. Full, such messages stay in the visits log.',
    { fallback: '1024' },
  ),
  webhookMaxMegabytes: setting(
    'PROVIDER_WEBHOOKS_MAX_MEGABYTES',
    wholeNumber(16, 100_000_000),
    'Size limit of the NATS stream of provider webhooks, which are compressed and deleted once applied. A full stream returns 503, and the provider retries.',
    { fallback: '4096' },
  ),
  unverifiedWebhookMaxMegabytes: setting(
    'UNVERIFIED_WEBHOOKS_MAX_MEGABYTES',
    wholeNumber(16, 100_000_000),
    'Size limit of the NATS stream of provider webhooks that could not be verified on arrival because PostgreSQL was unavailable.',
    { fallback: '1024' },
  ),
  deadLetterDays: setting('DEAD_LETTER_DAYS', wholeNumber(1, 3_650), 'How long such a message waits to be replayed.', {
    fallback: '90',
  }),
};
