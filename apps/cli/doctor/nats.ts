import type { Settings } from '@tributary/config';
import { connectStream, type Stream, streamOptions } from '@tributary/stream';
import { limits } from '@tributary/vocabulary';
import { type Finding, ok, wrong } from './finding.ts';

export async function examineNats(settings: Settings): Promise<Finding[]> {
  const stream = await connectStream(streamOptions(settings));
  try {
    await stream.ensureStreams();
    await stream.ensureWorkStreams();
    return [
      ok('nats', 'JetStream answers'),
      ...(await examineCopies(stream)),
      await examineLog(stream),
      await examineLetters(stream),
      await examineDeadLetterSpace(stream),
      await examineWebhooks(stream),
    ];
  } finally {
    await stream.close();
  }
}

/** A single server has no replication to examine. */
async function examineCopies(stream: Stream): Promise<Finding[]> {
  const { current, wanted } = await stream.copies();
  if (wanted === 1) return [];
  const detail = `${current} of ${wanted} servers have all visits`;
  if (current === wanted) return [ok('nats', detail)];
  return [
    wrong('nats', detail, 'Bring the server back that is missing; an empty one in its place catches up by itself.'),
  ];
}

const percent = (share: number) => `${Math.round(share * 100)}% full`;

async function examineLog(stream: Stream): Promise<Finding> {
  const { share } = await stream.fill();
  const detail = `the visits log is ${percent(share)}`;
  if (share < 0.8) return ok('visits log', detail);
  return wrong(
    'visits log',
    detail,
    'Full, it refuses visits. Is the worker running and keeping up? If so, give it more with STREAM_MAX_MEGABYTES.',
  );
}

async function examineWebhooks({ webhooks, unverifiedWebhooks }: Stream): Promise<Finding> {
  const share = Math.max((await webhooks.fill()).share, (await unverifiedWebhooks.fill()).share);
  const detail = `the streams of provider webhooks are ${percent(share)} and accept messages of up to ${Math.floor(webhooks.maxMessageBytes / 1_024)} KiB`;
  if (share >= 0.8)
    return wrong(
      'provider webhooks',
      detail,
      'Full streams reject webhooks. Check that the worker runs, then raise PROVIDER_WEBHOOKS_MAX_MEGABYTES.',
    );
  if (webhooks.maxMessageBytes < limits.providerWebhooks.bytes)
    return wrong(
      'provider webhooks',
      detail,
      'Set max_payload of NATS to 4MB: larger webhooks that barely compress are rejected.',
    );
  return ok('provider webhooks', detail);
}

async function examineLetters({ deadLetters }: Stream): Promise<Finding> {
  const count = await deadLetters.count();
  if (count === 0) return ok('dead letters', 'none');
  return wrong(
    'dead letters',
    `${count} message(s) could not be processed`,
    'See why with "tributary visits replay-dead --dry-run"; without --dry-run they are tried again.',
  );
}

async function examineDeadLetterSpace(stream: Stream): Promise<Finding> {
  const { share } = await stream.fill('dead-letters');
  const detail = `the room for dead letters is ${percent(share)}`;
  if (share < 0.8) return ok('dead letters', detail);
  return wrong(
    'dead letters',
    detail,
    'Full, the worker stops at the next that fails. Mend why they fail and replay them, or give it DEAD_LETTER_MAX_MEGABYTES.',
  );
}
