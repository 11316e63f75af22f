import type { ReportServices } from '@tributary/domain/measurement/reports';
import type { Jobs } from '@tributary/work';

/** External services that the handlers of this module need. */
export interface ModelServices extends ReportServices {
  readonly jobs: Jobs;
}
