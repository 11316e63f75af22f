import type { ReportServices } from '@tributary/domain/reports';
import type { Jobs } from '@tributary/work';

/** What the handlers of this room need from the outside. */
export interface ModelServices extends ReportServices {
  readonly jobs: Jobs;
}
