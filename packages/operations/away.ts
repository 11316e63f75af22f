import { isAway, isContended } from '@tributary/postgres';
import { KeyNotLoaded } from '@tributary/vault';
import { Refusal } from './refusal.ts';

/**
 * An engine that is away or cannot do it at the moment, as a refusal that says when to come again. What counts as that is a table of each
 * engine's own package. Any other fault stays what it is.
 */
export function awayAsRefusal(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  if (isEngineAway(error))
    return comeAgain('A part of the service is away for a moment.', `engine away: ${said(error)}`);
  if (error instanceof KeyNotLoaded) return comeAgain('A new key is being loaded.', said(error));
  if (isContended(error)) return comeAgain('Others were at the same rows all the time.', `contended: ${said(error)}`);
  return error;
}

const comeAgain = (why: string, internal: string): Refusal =>
  new Refusal('service_unavailable', `${why} Send it again shortly.`, { internal, headers: { 'retry-after': '2' } });

const said = (error: unknown): string => (error as Error).message;

/** ClickHouse has looked at its own causes; its class is not imported for the sake of one word. */
export const isEngineAway = (error: unknown): boolean =>
  (error as Partial<Error>).name === 'ClickHouseFailure'
    ? (error as { transient?: boolean }).transient === true
    : isAway(error);
