import type { LanguageModel } from '@tributary/ai-model';
import type { ClickHouse } from '@tributary/clickhouse';
import type { Vault } from '@tributary/vault';

/** What the handlers of this room need from the outside. */
export interface JourneyServices {
  readonly clickhouse: ClickHouse;
  readonly vault: Vault;
  /** Absent where none is set up. */
  readonly languageModel: LanguageModel | undefined;
  /** Summaries that a workspace may have made in a day. */
  readonly summariesPerDay: number;
}
