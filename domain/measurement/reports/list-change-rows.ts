import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { conversionIdOf } from '@tributary/rules';
import { causesOf, changeMeta, changeParameters, readChangedFigure, refOf } from './changed-figure.ts';
import { isId, isMoment, readCursor, writeCursor } from './cursor.ts';
import { explainedFigures } from './explained-figure.ts';
import { creditText } from './figures.ts';
import type { ReportServices } from './services.ts';

const start = {
  before_at: new Date('2200-01-01T00:00:00Z'),
  before_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  before_cause: '',
};

export const listChangeRows: Handles<Routes['listChangeRows'], ReportServices> = async ({ query }, context) => {
  const { limit, cursor, cause = '' } = query;
  const position = cursor === undefined ? start : parseCursor(cursor);
  const changed = await readChangedFigure(query, context);
  const { field } = changed;
  const { currency } = changed.after.delivery.period;
  const found =
    explainedFigures[field].rows === 'delivery'
      ? []
      : await context.clickhouse.query(
          'change_list_steps',
          { ...changeParameters(changed), ...position, cause, limit: limit + 1 },
          { signal: context.signal },
        );
  const text = (amount: string) => (field === 'outcome_value' ? creditText(amount, currency) : amount);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return answer(200, {
    data: rows.map((row) => ({
      at: row.at,
      conversion_id: conversionIdOf(row.conversion_id),
      conversion_time: row.conversion_time,
      causes: causesOf(row.cause),
      ref: refOf(row.ref),
      before: text(row.before),
      after: text(row.after),
    })),
    pagination: {
      has_next: found.length > limit,
      cursor: last ? writeCursor(last.at, last.conversion_id, last.cause) : null,
    },
    meta: changeMeta(changed, query),
  });
};

function parseCursor(cursor: string) {
  const [at, before_id, before_cause] = readCursor(cursor, [isMoment, isId, (text) => /^[a-z_,]*$/.test(text)]);
  return { before_at: new Date(at), before_id, before_cause };
}
