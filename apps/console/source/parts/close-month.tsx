import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { closingsQuery, monthOf } from '../closings.ts';
import { today } from '../date-range.ts';
import { longDay } from '../format.ts';
import { usePlace } from '../place.ts';
import { sharedLink } from '../shared-link.ts';
import { say } from '../words/index.ts';

/** Where the days are a month that is over: closes it, or says when it was. What changes afterwards is marked. */
export function CloseMonth() {
  const { place } = usePlace();
  const queryClient = useQueryClient();
  const month = monthOf(place);
  const closings = useQuery({ ...closingsQuery(place.profileId), enabled: month !== undefined && !sharedLink() });
  const close = useMutation({
    mutationFn: (chosen: string) => clientFor(place.profileId).createClosing({ body: { month: chosen } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (month === undefined || place.to >= today() || place.asOf || !closings.data) return null;
  const closing = closings.data.find((one) => one.month === month);
  if (closing) return <span className="label">{say.closings.closedOn(longDay(closing.closed_at.slice(0, 10)))}</span>;
  return (
    <span>
      <button type="button" className="button" disabled={close.isPending} onClick={() => close.mutate(month)}>
        {say.closings.close}
      </button>
      {close.isError && <span role="alert"> {say.closings.cannot}</span>}
    </span>
  );
}
