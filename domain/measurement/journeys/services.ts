import type { LanguageModel } from '@tributary/ai-model';
import type { ClickHouse } from '@tributary/clickhouse';
import type { Vault } from '@tributary/vault';

/** External services that the handlers of this module need. */
export interface JourneyServices {
  readonly clickhouse: ClickHouse;
  readonly vault: Vault;
  /** Undefined if no model is configured. */
  readonly languageModel: LanguageModel | undefined;
  /** Summaries that a workspace may generate per day. */
  readonly summariesPerDay: number;
}
