import type { AnswerOf, Routes, SpendFault } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { goodOf, readJudged } from './read-spend.ts';
import { type RecordedSpend, recordSpend } from './record-spend.ts';

type Result = AnswerOf<Routes['importSpend']>['body']['data']['results'][number];

export const importSpend: Handles<Routes['importSpend']> = ({ body }, { effect, caller, now }) => {
  const profileId = caller.profileId;
  const reads = body.rows.map((judged) => readJudged(profileId, judged, now));
  return effect(async (tx) => {
    const recorded = await recordSpend(tx, profileId, goodOf(reads), now);
    const results = reads.map((read, index): Result => {
      const place = { index, ...(read.line !== undefined && { line: read.line }) };
      if ('fault' in read) return { ...place, status: 'rejected', code: 'validation_error', ...told(read.fault) };
      const { entityId, status } = recorded.shift() as RecordedSpend;
      return { ...place, status, entity_id: entityId };
    });
    const summary = { total: results.length, recorded: 0, updated: 0, unchanged: 0, rejected: 0 };
    for (const { status } of results) summary[status] += 1;
    return answer(200, { data: { results, summary } });
  });
};

const told = ({ field, message }: SpendFault): SpendFault => ({
  field,
  message: field === '' ? `This ${message}.` : `The field "${field}" ${message}.`,
});
