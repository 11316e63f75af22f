import type { Row } from '@tributary/clickhouse';
import type { RebuiltWindow } from './store.ts';

/** An ad as scored by the last rebuild of a window. */
export interface Scored {
  readonly score: Row<'ad_read_score'>;
  readonly at: Date;
  readonly window: RebuiltWindow;
}
