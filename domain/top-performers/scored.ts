import type { Row } from '@tributary/clickhouse';
import type { RebuiltWindow } from './store.ts';

/** An ad as the last rebuild of a window scored it. */
export interface Scored {
  readonly score: Row<'ad_read_score'>;
  readonly at: Date;
  readonly window: RebuiltWindow;
}
