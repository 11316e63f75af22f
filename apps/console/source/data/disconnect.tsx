import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { dayIn } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { profileQuery } from '../queries.ts';
import { type Exclusion, ExclusionField, toExcludedFrom } from '../sales/exclusion-field.tsx';
import { invalidateFigures, saleSourcesQuery } from '../sales/queries.ts';
import type { Connection } from './queries.ts';

interface DisconnectProps {
  readonly profileId: string;
  readonly connection: Connection;
  readonly onClose: () => void;
}

/** Disconnects an account. If it has reported payments, asks whether reports keep counting them. */
export function Disconnect({ profileId, connection, onClose }: DisconnectProps) {
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const profile = useQuery(profileQuery(profileId));
  const sources = useQuery({ ...saleSourcesQuery(profileId), enabled: may('commerce:read') });
  const source = sources.data?.sources.find(({ connection_id: id }) => id === connection.id);
  const [exclusion, setExclusion] = useState<Exclusion>({ kind: 'none' });
  const isOffered = source !== undefined && source.excluded_from === null && may('attribution:write');
  const disconnect = useMutation({
    mutationFn: async () => {
      const client = clientFor(profileId);
      if (isOffered && exclusion.kind !== 'none')
        await client.updateSaleSource({
          params: { source: source.source },
          body: { excluded_from: toExcludedFrom(exclusion) },
        });
      await client.disconnectConnection({ params: { id: connection.id } });
    },
    onSuccess: onClose,
    onSettled: () => invalidateFigures(queryClient),
  });
  const today = dayIn(new Date().toISOString(), profile.data?.time_zone ?? 'UTC');
  return (
    <Dialog title={t.connections.disconnectAsk(connection.account.name)} role="alertdialog" isOpen onClose={onClose}>
      <p className="text-soft">{isOffered ? t.sales.disconnectAbout : t.connections.disconnectAbout}</p>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          disconnect.mutate();
        }}
      >
        {isOffered && <ExclusionField value={exclusion} today={today} onChange={setExclusion} />}
        <Failed error={disconnect.error} />
        <div className="flex flex-wrap justify-end gap-3">
          <button type="button" className="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button type="submit" className="button-main" disabled={disconnect.isPending || sources.isLoading}>
            {t.connections.disconnect}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
