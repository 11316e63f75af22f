import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Channel } from '@tributary/vocabulary';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed, Page, State } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { AddSpend } from './add-spend.tsx';
import { ConnectDialog, ConsentResult } from './connect.tsx';
import { BankLinkResult } from './connect-bank.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { groups, ProviderTile, providersOf } from './providers.tsx';
import { connectionsQuery } from './queries.ts';
import { Stages } from './stages.tsx';

/** Connected accounts with their status, and every provider that can be connected. */
export function Connections() {
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const mayWrite = may('connections:write');
  const connections = useQuery(connectionsQuery(profileId));
  const [connecting, setConnecting] = useState<Channel>();
  const hasCrm = connections.data?.some(({ channel }) => channel === 'crm_a') ?? false;
  return (
    <Page
      title={t.pages.connections}
      about={t.connections.about}
      actions={mayWrite && <SyncAll profileId={profileId} />}
    >
      <div className="grid gap-6">
        {mayWrite && <ConsentResult profileId={profileId} />}
        {mayWrite && <BankLinkResult profileId={profileId} />}
        <QueryResult query={connections}>
          {(all) => (
            <>
              {all.length === 0 ? (
                <Empty title={t.connections.nothing}>
                  {mayWrite ? t.connections.chooseOne : t.connections.askAdmin}
                </Empty>
              ) : (
                <section aria-labelledby="connected">
                  <h2 id="connected" className="mb-3">
                    {t.connections.accounts}
                  </h2>
                  <ul aria-label={t.pages.connections} className="grid gap-3 lg:grid-cols-2">
                    {all.map((one) => (
                      <li key={one.id} className="card p-5">
                        <ConnectionCard
                          profileId={profileId}
                          connection={one}
                          reconnect={() => setConnecting(one.channel)}
                        />
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              {mayWrite && (
                <Gallery
                  connect={setConnecting}
                  connectedTo={(channel) =>
                    all.filter((one) => one.channel === channel && one.status === 'connected').length
                  }
                />
              )}
            </>
          )}
        </QueryResult>
        {hasCrm && <Stages profileId={profileId} />}
        {may('attribution:write') && <AddSpend profileId={profileId} />}
      </div>
      {connecting && (
        <ConnectDialog
          key={connecting}
          profileId={profileId}
          channel={connecting}
          onClose={() => setConnecting(undefined)}
        />
      )}
    </Page>
  );
}

interface GalleryProps {
  readonly connect: (channel: Channel) => void;
  readonly connectedTo: (channel: Channel) => number;
}

function Gallery({ connect, connectedTo }: GalleryProps) {
  return (
    <section className="grid gap-4" aria-labelledby="gallery">
      <h2 id="gallery">{t.connect.title}</h2>
      {groups.map((group) => (
        <section key={group.id} aria-labelledby={`group-${group.id}`}>
          <h3 id={`group-${group.id}`} className="label mb-2">
            {t.connect.groups[group.id]}
          </h3>
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {providersOf(group).map((channel) => {
              const connected = connectedTo(channel);
              return (
                <li key={channel} className="card flex flex-col gap-3 p-4">
                  <div className="flex items-start gap-3">
                    <ProviderTile channel={channel} />
                    <div className="min-w-0">
                      <p className="flex flex-wrap items-center gap-2 font-semibold">
                        {words(channel)}
                        {connected > 0 && <State tone="good">{t.connect.count(connected, count(connected))}</State>}
                      </p>
                      <p className="text-small text-soft">{t.connect.brings[channel]}</p>
                    </div>
                  </div>
                  <div className="mt-auto">
                    <button
                      type="button"
                      className="button"
                      aria-label={(connected > 0 ? t.connect.anotherOf : t.connect.connectTo)(words(channel))}
                      onClick={() => connect(channel)}
                    >
                      {connected > 0 ? t.connect.another : t.connect.connect}
                    </button>
                  </div>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </section>
  );
}

function SyncAll({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const sync = useMutation({
    mutationFn: () => clientFor(profileId).startSync({ body: {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [profileId, 'connections'] }),
  });
  return (
    <div>
      <button type="button" className="button" disabled={sync.isPending} onClick={() => sync.mutate()}>
        {t.connections.readAll}
      </button>
      <Failed error={sync.error} />
    </div>
  );
}
