import { type Exportable, findExportable, findSaleMembers } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { type ExportedRecord, findEvents } from './store.ts';

/**
 * Chooses the record of a sale that a platform receives, so that each sale has one event id. A record that may have been sent stays the
 * choice, because under another id the sale would count twice. Next come the business's own records, whose key a pixel uses and which carry
 * the click, then the counted record. Sales with one record are not listed.
 */
export async function findReporters(
  tx: Tx,
  profileId: string,
  targetId: string,
  outcomes: ReadonlyMap<string, Exportable>,
): Promise<Map<string, string>> {
  const members = await findSaleMembers(tx, profileId, [...outcomes.keys()]);
  if (members.size === 0) return new Map();
  const sales = [...members].map(([counted, duplicates]) => [counted, ...duplicates]);
  const events = await findEvents(tx, profileId, targetId, sales.flat());
  const more = await findExportable(
    tx,
    profileId,
    events.flatMap(({ outcomeId }) => (outcomes.has(outcomeId) ? [] : [outcomeId])),
  );
  const byId = new Map(events.map((event) => [event.outcomeId, event]));
  return new Map(
    sales.flatMap((sale) => {
      const [counted] = sale;
      const records = sale.flatMap((id) => byId.get(id) ?? []);
      const chosen = chooseReporter(records, (id) => (outcomes.get(id) ?? more.get(id))?.isOwn ?? false, counted);
      return counted && chosen ? [[counted, chosen] as const] : [];
    }),
  );
}

function chooseReporter(
  records: readonly ExportedRecord[],
  isOwn: (id: string) => boolean,
  counted: string | undefined,
): string | undefined {
  const usable = records.filter(
    ({ status, reason }) => status !== 'refused' && (status !== 'withheld' || reason === 'duplicate'),
  );
  const sent = usable
    .filter(({ firstSentAt }) => firstSentAt !== null)
    .toSorted((a, b) => Number(a.firstSentAt) - Number(b.firstSentAt) || (a.outcomeId < b.outcomeId ? -1 : 1));
  const own = usable
    .map(({ outcomeId }) => outcomeId)
    .toSorted()
    .find(isOwn);
  return (
    sent[0]?.outcomeId ??
    own ??
    usable.find(({ outcomeId }) => outcomeId === counted)?.outcomeId ??
    usable[0]?.outcomeId
  );
}
