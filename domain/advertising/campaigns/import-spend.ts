import type { AnswerOf, Routes, SpendFault } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { parseJudgedRow, validRows } from './read-spend.ts';
import { type RecordedSpend, recordSpend } from './record-spend.ts';

type Result = AnswerOf<Routes['importSpend']>['body']['data']['results'][number];

export const importSpend: Handles<Routes['importSpend']> = ({ body }, { effect, caller, now }) => {
  const profileId = caller.profileId;
  const parsedRows = body.rows.map((judged) => parseJudgedRow(profileId, judged, now));
  return effect(async (tx) => {
    const recorded = await recordSpend(tx, profileId, validRows(parsedRows), now);
    const results = parsedRows.map((read, index): Result => {
      const location = { index, ...(read.line !== undefined && { line: read.line }) };
      if ('fault' in read)
        return { ...location, status: 'rejected', code: 'validation_error', ...toFaultResponse(read.fault) };
      const { entityId, status } = recorded.shift() as RecordedSpend;
      return { ...location, status, entity_id: entityId };
    });
    const summary = { total: results.length, recorded: 0, updated: 0, unchanged: 0, rejected: 0 };
    for (const { status } of results) summary[status] += 1;
    return answer(200, { data: { results, summary } });
  });
};

const toFaultResponse = ({ field, message }: SpendFault): SpendFault => ({
  field,
  message: field === '' ? `This ${message}.` : `The field "${field}" ${message}.`,
});
