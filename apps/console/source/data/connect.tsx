import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ResponseOf, type Routes, TributaryError } from '@tributary/sdk';
import type { Channel } from '@tributary/vocabulary';
import { useEffect, useState } from 'react';
import { clientFor } from '../client.ts';
import { localTime, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { handoffProviders } from '../vocabulary.ts';
import { ConnectByForm } from './connect-form.tsx';
import { candidatesQuery, connectionsQuery, handoffQuery } from './queries.ts';

type Provider = (typeof handoffProviders)[number];
type Handoff = ResponseOf<Routes['readHandoff']>['data'];

interface ConnectDialogProps {
  readonly profileId: string;
  readonly channel: Channel;
  readonly onClose: () => void;
}

const isHandoff = (channel: Channel): channel is Provider => (handoffProviders as readonly string[]).includes(channel);

export function ConnectDialog({ profileId, channel, onClose }: ConnectDialogProps) {
  return (
    <Dialog title={t.connect.connectTo(words(channel))} isOpen onClose={onClose}>
      <p className="text-soft">{t.connect.brings[channel]}</p>
      {isHandoff(channel) ? (
        <ByConsent profileId={profileId} provider={channel} />
      ) : (
        <ConnectByForm profileId={profileId} channel={channel} />
      )}
      <div className="flex justify-end">
        <button type="button" className="button" onClick={onClose}>
          {t.common.close}
        </button>
      </div>
    </Dialog>
  );
}

const memory = (profileId: string): string => `connecting ${profileId}`;

/** The console was opened under another host than `BASE_URL`, so the consent page cannot redirect back to it. */
const isOtherHost = (error: unknown): boolean => error instanceof TributaryError && error.code === 'invalid_parameter';

/** Connects through the provider's consent page: directly in this tab, or by a link for the owner of the account. */
function ByConsent({ profileId, provider }: { readonly profileId: string; readonly provider: Provider }) {
  const queryClient = useQueryClient();
  const mint = async (body: { return_url?: string }) =>
    (await clientFor(profileId).createHandoff({ params: { provider }, body })).data;
  const link = useMutation({ mutationFn: () => mint({}) });
  const here = useMutation({
    mutationFn: () => mint({ return_url: `${window.location.origin}/p/${profileId}/connections` }),
    onSuccess: ({ id, start_url: startUrl }) => {
      sessionStorage.setItem(memory(profileId), id);
      window.location.assign(startUrl);
    },
    // The link then opens in a new tab, and this page stays open to show the result.
    onError: (error) => isOtherHost(error) && link.mutate(),
  });
  const { data: handoff } = useQuery(handoffQuery(profileId, link.data?.id));
  const status = handoff?.status;
  useEffect(() => {
    if (status === 'completed') void queryClient.invalidateQueries(connectionsQuery(profileId));
  }, [status, queryClient, profileId]);
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <button type="button" className="button-main" disabled={here.isPending} onClick={() => here.mutate()}>
          {t.connect.here}
        </button>
        <button type="button" className="button" disabled={link.isPending} onClick={() => link.mutate()}>
          {t.connect.forClient}
        </button>
      </div>
      <Failed error={(isOtherHost(here.error) ? null : here.error) ?? link.error} />
      {link.data && (
        <div className="grid gap-2" aria-live="polite">
          <p>{t.connect.openIt(localTime(link.data.expires_at))}</p>
          <p className="flex flex-wrap items-center gap-3">
            <a className="break-all text-accent underline" href={link.data.url} target="_blank" rel="noreferrer">
              {link.data.url}
            </a>
            <Copy text={link.data.url} about={t.connect.theLink} />
          </p>
          <Outcome profileId={profileId} handoff={handoff} />
        </div>
      )}
    </>
  );
}

/** The result of a consent that a member completed in this tab. */
export function ConsentResult({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const [id, setId] = useState(() => sessionStorage.getItem(memory(profileId)) ?? undefined);
  const { data: handoff } = useQuery(handoffQuery(profileId, id));
  const status = handoff?.status;
  useEffect(() => {
    if (status === 'completed') void queryClient.invalidateQueries(connectionsQuery(profileId));
  }, [status, queryClient, profileId]);
  if (!id || !handoff) return null;
  return (
    <section
      className="card flex flex-wrap items-start justify-between gap-3 border-accent p-5"
      aria-label={t.connect.result}
    >
      <div role="status">
        <Outcome profileId={profileId} handoff={handoff} />
      </div>
      <button
        type="button"
        className="button"
        onClick={() => {
          sessionStorage.removeItem(memory(profileId));
          setId(undefined);
        }}
      >
        {t.common.close}
      </button>
    </section>
  );
}

function Outcome({ profileId, handoff }: { readonly profileId: string; readonly handoff: Handoff | undefined }) {
  if (!handoff || handoff.status === 'pending') return <p className="label">{t.connect.waiting}</p>;
  const { result } = handoff;
  if (result && 'pending_selection' in result) return <Choose profileId={profileId} provider={result.provider} />;
  if (result && 'reason' in result) return <p>{t.connect.refused(words(result.reason).toLowerCase())}</p>;
  return <p>{result ? t.connect.connectedTo(words(result.provider)) : t.connect.connected}</p>;
}

/** The consent covers several accounts; the member chooses one. */
function Choose({ profileId, provider }: { readonly profileId: string; readonly provider: Provider }) {
  const queryClient = useQueryClient();
  const candidates = useQuery(candidatesQuery(profileId, provider));
  const choose = useMutation({
    mutationFn: (id: string) =>
      clientFor(profileId).finalizePendingAccount({ params: { provider }, body: { candidate_id: id } }),
    onSuccess: () => queryClient.invalidateQueries(connectionsQuery(profileId)),
  });
  if (choose.isSuccess) return <p>{t.connect.connected}</p>;
  return (
    <QueryResult query={candidates} lines={2}>
      {(accounts) => (
        <div>
          <p>{t.connect.whichAccount}</p>
          <ul className="mt-2 flex flex-wrap gap-2">
            {accounts.map(({ id, name }) => (
              <li key={id}>
                <button type="button" className="button" disabled={choose.isPending} onClick={() => choose.mutate(id)}>
                  {name} <span className="label">{id}</span>
                </button>
              </li>
            ))}
          </ul>
          <Failed error={choose.error} />
        </div>
      )}
    </QueryResult>
  );
}
