import type { LanguageModel } from '@tributary/ai-model';
import type { Jobs } from '@tributary/work';

/** What the handlers of this room need from the outside. */
export interface CreativeServices {
  /** Absent where none is set up. */
  readonly languageModel: LanguageModel | undefined;
  readonly jobs: Jobs;
}
