import { isContended, isUnavailable } from '@tributary/postgres';
import { KeyNotLoaded } from '@tributary/vault';
import { Refusal } from './refusal.ts';

/**
 * Maps an engine that is down or overloaded to a refusal with Retry-After. The table of such errors is in each engine's own
 * package. Other errors are returned unchanged.
 */
export function awayAsRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  if (isEngineAway(error))
    return retryLater('A part of the service is away for a moment.', `engine away: ${messageOf(error)}`);
  if (error instanceof KeyNotLoaded) return retryLater('A new key is being loaded.', messageOf(error));
  if (isContended(error))
    return retryLater('Others were at the same rows all the time.', `contended: ${messageOf(error)}`);
  return error;
}

const retryLater = (why: string, internal: string): Refusal =>
  new Refusal('service_unavailable', `${why} Send it again shortly.`, { internal, headers: { 'retry-after': '2' } });

const messageOf = (error: unknown): string => (error as Error).message;

/** ClickHouse errors classify themselves; their class is matched by name, to avoid loading the driver. */
export const isEngineAway = (error: unknown): boolean =>
  (error as Partial<Error>).name === 'ClickHouseFailure'
    ? (error as { transient?: boolean }).transient === true
    : isUnavailable(error);
