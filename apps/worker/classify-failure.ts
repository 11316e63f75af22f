import { ClickHouseFailure } from '@tributary/clickhouse';
import { isEngineAway } from '@tributary/operations';
import { wasTooSlow } from '@tributary/postgres';
import { isStreamUnavailable } from '@tributary/stream';
import { KeyNotLoaded } from '@tributary/vault';
import type { FailureCause } from '@tributary/work';

/** ClickHouse errors caused by overload or by a batch that is too large. */
const overloadErrors = ['MEMORY_LIMIT_EXCEEDED', 'TIMEOUT_EXCEEDED', 'SOCKET_TIMEOUT'];

/** Classifies the failure of background work: engine down, batch too large, or faulty item. */
export function blame(error: unknown): FailureCause {
  if (wasTooSlow(error) || (error instanceof ClickHouseFailure && overloadErrors.includes(error.type ?? '')))
    return 'too-much';
  return isEngineAway(error) || isStreamUnavailable(error) || error instanceof KeyNotLoaded ? 'away' : 'work';
}
