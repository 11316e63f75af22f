import { isAway } from '@tributary/postgres';
import { Refusal } from './refusal.ts';

/** A connection to an engine that is gone, as a refusal that says when to come again. Any other fault stays what it is. */
export function awayAsRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !isEngineAway(error)) return error;
  return new Refusal('service_unavailable', 'A part of the service is away for a moment. Send it again shortly.', {
    internal: `engine away: ${(error as Error).message}`,
    headers: { 'retry-after': '2' },
  });
}

/** ClickHouse has looked at its own causes; its class is not imported for the sake of one word. */
export const isEngineAway = (error: unknown): boolean =>
  (error as Partial<Error>).name === 'ClickHouseFailure'
    ? (error as { transient?: boolean }).transient === true
    : isAway(error);
