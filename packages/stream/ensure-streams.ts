import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream';
import { ServerUnsuitable, StreamConflict } from './errors.ts';
import type { Link } from './link.ts';
import {
  deadLetterHeadroomBytes,
  type StreamDeclaration,
  type StreamDeclarations,
  type StreamSettings,
  type WorkStreamDeclarations,
} from './streams.ts';

/** Older servers lose acknowledged messages in a crash. */
const oldestSafe = [2, 10, 27] as const;

/** JetStream's error code for "a stream of this name exists with other settings". */
const nameInUse = 10058;

/**
 * JetStream's error code for "insufficient storage". The server also returns it for an existing stream that would not fit a second time.
 */
const insufficientStorage = 10047;

/** Creates or updates the declared streams. Several processes may do so at once. */
export async function ensureStreams(
  link: Link,
  declarations: StreamDeclarations,
  settings: StreamSettings,
): Promise<void> {
  await assertSuitable(link, settings);
  await assertNoExtraStream(link, declarations);
  for (const declaration of [...declarations.visits, declarations['dead-letters']])
    await ensureStream(link, declaration);
}

/** Creates or updates the work streams. */
export async function ensureWorkStreams(
  link: Link,
  declarations: WorkStreamDeclarations,
  settings: StreamSettings,
): Promise<void> {
  await assertSuitable(link, settings);
  for (const declaration of Object.values(declarations)) await ensureStream(link, declaration);
}

/** Detects a stream beyond STREAM_COUNT, whose visits no worker would read. */
async function assertNoExtraStream(link: Link, { visits: [first, ...others] }: StreamDeclarations): Promise<void> {
  const extra = `${first.name}-${others.length + 1}`;
  try {
    await link.manager.streams.info(extra);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return;
    throw error;
  }
  throw new ServerUnsuitable(
    `There is a stream "${extra}", and STREAM_COUNT is ${others.length + 1}. It can be raised, and lowered only when the last stream was read to its end and deleted.`,
  );
}

async function ensureStream(link: Link, { name, config }: StreamDeclaration): Promise<void> {
  try {
    await link.manager.streams.add({ ...config });
  } catch (error) {
    if (!(error instanceof JetStreamApiError)) throw error;
    if (error.code !== nameInUse && error.code !== insufficientStorage) throw new StreamConflict(name, error);
    await link.manager.streams.update(name, config).catch((cause: Error) => {
      if (!(cause instanceof JetStreamApiError)) throw cause;
      throw new StreamConflict(name, error.code === insufficientStorage ? error : cause);
    });
  }
}

/** Checks the server's capabilities. The client cannot query `sync_interval: always`, so CI checks the server's settings file. */
async function assertSuitable(link: Link, settings: StreamSettings): Promise<void> {
  const { info } = link.nats;
  if (!info) throw new ServerUnsuitable('The connection to the NATS server is lost at present. Try again.');
  const { version, max_payload: maxPayload, jetstream } = info;
  if (!jetstream) {
    throw new ServerUnsuitable(
      'The NATS server runs without JetStream. Start it with "jetstream" in its settings file.',
    );
  }
  if (!isSafe(version)) {
    throw new ServerUnsuitable(
      `The NATS server is ${version}, which can lose acknowledged messages in a crash. Use ${oldestSafe.join('.')} or newer.`,
    );
  }
  const needed = settings.maxMessageBytes + deadLetterHeadroomBytes;
  if (maxPayload < needed) {
    throw new ServerUnsuitable(`The NATS server's max_payload is ${maxPayload} bytes. Raise it to at least ${needed}.`);
  }
  await link.manager.getAccountInfo().catch((cause: Error) => {
    throw new ServerUnsuitable(`JetStream does not answer for this account: ${cause.message}.`, { cause });
  });
}

export function isSafe(version: string): boolean {
  const parts = version.split(/[.-]/).slice(0, oldestSafe.length).map(Number);
  for (const [index, least] of oldestSafe.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
