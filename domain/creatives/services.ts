import type { LanguageModel } from '@tributary/ai-model';
import type { Outbound } from '@tributary/outbound';
import type { Jobs } from '@tributary/work';

/** What the handlers of this room need from the outside. */
export interface CreativeServices {
  /** Absent where none is set up. */
  readonly languageModel: LanguageModel | undefined;
  readonly jobs: Jobs;
  /** Fetches pictures where a platform said that they are. */
  readonly providerOutbound: Pick<Outbound, 'request'>;
}
