import type { LanguageModel } from '@tributary/ai-model';
import type { Outbound } from '@tributary/outbound';
import type { Jobs } from '@tributary/work';

/** The services that the handlers of this module need. */
export interface CreativeServices {
  /** Undefined if no model is configured. */
  readonly languageModel: LanguageModel | undefined;
  readonly jobs: Jobs;
  /** Fetches pictures from addresses that platforms reported. */
  readonly providerOutbound: Pick<Outbound, 'request'>;
}
