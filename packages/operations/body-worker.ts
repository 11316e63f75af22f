import { parentPort } from 'node:worker_threads';
import { type BodyText, type BodyValue, readBodyText } from './read-body-text.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

/** A body to parse. Without `text`, a request for the next chunk of the current list. */
export interface BodyRequest {
  readonly text?: BodyText;
}

/** First the body without its list, or the error; then one chunk of the list per request. */
export interface BodyResponse {
  /** Processor time of the parsing. */
  readonly ms?: number;
  readonly body?: BodyValue;
  readonly refusal?: Pick<Refusal, 'code' | 'message' | 'fields'>;
  readonly items?: readonly unknown[];
  readonly isLast: boolean;
}

/** Text bytes per chunk. The main thread spends time on deserializing each chunk, so chunks are small. */
const chunkBytes = 64 * 1_024;

let remaining: unknown[] = [];
let itemsPerChunk = 1;

parentPort?.on('message', ({ text }: BodyRequest) => {
  parentPort?.postMessage(text ? parse(text) : nextChunk());
});

function parse(text: BodyText): BodyResponse {
  const startedAt = threadMs();
  try {
    const body = readBodyText(text);
    const ms = threadMs() - startedAt;
    const items = listOf(body.value, text.list);
    if (!items) return { ms, body, isLast: true };
    remaining = items;
    itemsPerChunk = Math.max(1, Math.floor((items.length * chunkBytes) / text.bytes.length));
    return { ms, body: { ...body, value: { ...(body.value as object), [text.list ?? '']: [] } }, isLast: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, fields } = error;
    return { ms: threadMs() - startedAt, refusal: { code, message, fields }, isLast: true };
  }
}

function nextChunk(): BodyResponse {
  const items = remaining.slice(0, itemsPerChunk);
  remaining = remaining.slice(itemsPerChunk);
  return { items, isLast: remaining.length === 0 };
}

function listOf(value: unknown, list: string | undefined): unknown[] | undefined {
  const items = list === undefined ? undefined : (value as Readonly<Record<string, unknown>> | null)?.[list];
  return Array.isArray(items) ? items : undefined;
}
