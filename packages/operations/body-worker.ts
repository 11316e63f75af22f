import { parentPort } from 'node:worker_threads';
import { type BodyText, type BodyValue, readBodyText } from './read-body-text.ts';
import { Refusal } from './refusal.ts';
import { threadMs } from './thread-time.ts';

/** A body to read; without one, the wish for the next part of the last. */
export interface BodyQuestion {
  readonly text?: BodyText;
}

/** First the body without its list, or why it is refused; then a part of the list each time it is asked for. */
export interface BodyAnswer {
  /** How long reading took. */
  readonly ms?: number;
  readonly body?: BodyValue;
  readonly refusal?: Pick<Refusal, 'code' | 'message' | 'fields'>;
  readonly items?: readonly unknown[];
  readonly isLast: boolean;
}

/** About so much of the text becomes objects of the main thread at once: receiving them is work of that thread. */
const partBytes = 64 * 1_024;

let left: unknown[] = [];
let perPart = 1;

parentPort?.on('message', ({ text }: BodyQuestion) => {
  parentPort?.postMessage(text ? begin(text) : next());
});

function begin(text: BodyText): BodyAnswer {
  const startedAt = threadMs();
  try {
    const body = readBodyText(text);
    const ms = threadMs() - startedAt;
    const items = listOf(body.value, text.list);
    if (!items) return { ms, body, isLast: true };
    left = items;
    perPart = Math.max(1, Math.floor((items.length * partBytes) / text.bytes.length));
    return { ms, body: { ...body, value: { ...(body.value as object), [text.list ?? '']: [] } }, isLast: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, fields } = error;
    return { ms: threadMs() - startedAt, refusal: { code, message, fields }, isLast: true };
  }
}

function next(): BodyAnswer {
  const items = left.slice(0, perPart);
  left = left.slice(perPart);
  return { items, isLast: left.length === 0 };
}

function listOf(value: unknown, list: string | undefined): unknown[] | undefined {
  const items = list === undefined ? undefined : (value as Readonly<Record<string, unknown>> | null)?.[list];
  return Array.isArray(items) ? items : undefined;
}
