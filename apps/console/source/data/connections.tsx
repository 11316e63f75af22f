import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { ago, localTime, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { Failed, Page, State } from '../parts/page.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { say } from '../words/index.ts';
import { Connect } from './connect.tsx';
import { type Connection, connectionsQuery } from './queries.ts';
import { Stages } from './stages.tsx';

/** Accounts at ad platforms, CRMs and payment providers: whether they work, how old what they said is, and the way to connect one. */
export function Connections() {
  const { profileId } = usePlace().place;
  const { may } = useMembership();
  const connections = useQuery(connectionsQuery(profileId));
  const hasCrm = connections.data?.some(({ channel }) => channel === 'crm_a') ?? false;
  return (
    <Page
      title={say.pages.connections}
      about={say.connections.about}
      actions={may('connections:write') && <SyncAll profileId={profileId} />}
    >
      <div className="grid gap-5">
        <Answered query={connections}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={say.connections.nothing}>
                {may('connections:write') ? say.connections.chooseOne : say.connections.askAdmin}
              </Empty>
            ) : (
              <ul aria-label={say.pages.connections} className="grid gap-3">
                {all.map((one) => (
                  <li key={one.id} className="card p-5">
                    <One profileId={profileId} connection={one} />
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
        {may('connections:write') && <Connect profileId={profileId} />}
        {hasCrm && <Stages profileId={profileId} />}
      </div>
    </Page>
  );
}

const statuses: Readonly<
  Record<Connection['status'], { tone: 'good' | 'plain' | 'bad'; title: string; next?: string }>
> = {
  pending: { tone: 'plain', title: say.connections.pending },
  connected: { tone: 'good', title: say.connections.connected },
  needs_action: {
    tone: 'bad',
    title: say.connections.needsAction,
    next: say.connections.needsActionAbout,
  },
  reconnect_required: { tone: 'bad', title: say.connections.reconnect, next: say.connections.reconnectAbout },
  disconnected: { tone: 'plain', title: say.connections.disconnected, next: say.connections.disconnectedAbout },
};

const useChanged = (profileId: string) => {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [profileId, 'connections'] });
};

function One({ profileId, connection }: { readonly profileId: string; readonly connection: Connection }) {
  const { channel, status, account, sync } = connection;
  const { tone, title, next } = statuses[status];
  const { may } = useMembership();
  const changed = useChanged(profileId);
  const disconnect = useMutation({
    mutationFn: () => clientFor(profileId).disconnectConnection({ params: { id: connection.id } }),
    onSuccess: changed,
  });
  return (
    <div className="flex flex-wrap items-start justify-between gap-4">
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-center gap-2">
          {words(channel)} <State tone={tone}>{title}</State>
        </h2>
        <p className="break-words">
          {account.name} <span className="label">{account.external_id}</span>
        </p>
        <p className="label">{syncLine(sync)}</p>
        {sync.last_error && <p className="text-problem">{say.connections.providerSays(sync.last_error)}</p>}
        {next && <p className="label">{next}</p>}
        {sync.progress !== null && (
          <progress aria-label={say.connections.readSoFar} className="mt-1 w-48" value={sync.progress} max={1} />
        )}
        <Failed error={disconnect.error} />
      </div>
      {may('connections:write') && status !== 'disconnected' && (
        <button
          type="button"
          className="button"
          disabled={disconnect.isPending}
          onClick={() => window.confirm(say.connections.disconnectAsk(account.name)) && disconnect.mutate()}
        >
          {say.connections.disconnect}
        </button>
      )}
    </div>
  );
}

function syncLine({ state, last_success_at: success, next_run_at: next }: Connection['sync']): string {
  if (state === 'running') return say.connections.beingRead;
  const read = success ? say.connections.read(ago(success)) : say.connections.notRead;
  return next && Date.parse(next) > Date.now() ? say.connections.nextAt(read, localTime(next)) : `${read}.`;
}

function SyncAll({ profileId }: { readonly profileId: string }) {
  const changed = useChanged(profileId);
  const sync = useMutation({ mutationFn: () => clientFor(profileId).startSync({ body: {} }), onSuccess: changed });
  return (
    <div>
      <button type="button" className="button" disabled={sync.isPending} onClick={() => sync.mutate()}>
        {say.connections.readAll}
      </button>
      <Failed error={sync.error} />
    </div>
  );
}
