import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { closingsQuery, monthOf } from '../closings.ts';
import { today } from '../date-range.ts';
import { longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import { useReportScope } from '../report-scope.ts';
import { sharedLink } from '../shared-link.ts';

/** If the range is a past month: closes it, or shows when it was closed. Later changes are marked. */
export function CloseMonth() {
  const { scope } = useReportScope();
  const queryClient = useQueryClient();
  const month = monthOf(scope);
  const closings = useQuery({ ...closingsQuery(scope.profileId), enabled: month !== undefined && !sharedLink() });
  const close = useMutation({
    mutationFn: (chosen: string) => clientFor(scope.profileId).createClosing({ body: { month: chosen } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (month === undefined || scope.to >= today() || scope.asOf || !closings.data) return null;
  const closing = closings.data.find((one) => one.month === month);
  if (closing) return <span className="label">{t.closings.closedOn(longDay(closing.closed_at.slice(0, 10)))}</span>;
  return (
    <span>
      <button type="button" className="button" disabled={close.isPending} onClick={() => close.mutate(month)}>
        {t.closings.close}
      </button>
      {close.isError && <span role="alert"> {t.closings.cannot}</span>}
    </span>
  );
}
