import { ClickHouseFailure } from '@tributary/clickhouse';
import { isEngineAway } from '@tributary/operations';
import { wasTooSlow } from '@tributary/postgres';
import { isStreamAway } from '@tributary/stream';
import { KeyNotLoaded } from '@tributary/vault';
import type { Blame } from '@tributary/work';

/** What an engine says to a busy hour as well as to too much at once. */
const tooMuch = ['MEMORY_LIMIT_EXCEEDED', 'TIMEOUT_EXCEEDED', 'SOCKET_TIMEOUT'];

/** Whose fault it is that background work failed. */
export function blame(error: unknown): Blame {
  if (wasTooSlow(error) || (error instanceof ClickHouseFailure && tooMuch.includes(error.type ?? '')))
    return 'too-much';
  return isEngineAway(error) || isStreamAway(error) || error instanceof KeyNotLoaded ? 'away' : 'work';
}
