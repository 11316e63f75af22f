import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { ago, localTime, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Failed, State } from '../parts/page.tsx';
import { OverlapQuestion } from '../sales/overlap-question.tsx';
import { ChatbotRequest } from './chatbot-request.tsx';
import { Disconnect } from './disconnect.tsx';
import { ProviderTile } from './providers.tsx';
import type { Connection } from './queries.ts';

const statuses: Readonly<
  Record<Connection['status'], { tone: 'good' | 'plain' | 'bad'; title: string; next?: string }>
> = {
  pending: { tone: 'plain', title: t.connections.pending, next: t.connections.pendingAbout },
  connected: { tone: 'good', title: t.connections.connected },
  needs_action: { tone: 'bad', title: t.connections.needsAction, next: t.connections.needsActionAbout },
  reconnect_required: { tone: 'bad', title: t.connections.reconnectNeeded, next: t.connections.reconnectAbout },
  disconnected: { tone: 'plain', title: t.connections.disconnected, next: t.connections.disconnectedAbout },
};

interface ConnectionCardProps {
  readonly profileId: string;
  readonly connection: Connection;
  readonly reconnect: () => void;
}

/** One connected account: its status, its last sync and the available actions. */
export function ConnectionCard({ profileId, connection, reconnect }: ConnectionCardProps) {
  const { id, channel, status, account, sync } = connection;
  const { tone, title, next } = statuses[status];
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const onSuccess = () => queryClient.invalidateQueries({ queryKey: [profileId, 'connections'] });
  const [isDisconnecting, setDisconnecting] = useState(false);
  const syncNow = useMutation({
    mutationFn: () => clientFor(profileId).startSync({ body: { connection_id: id } }),
    onSuccess,
  });
  return (
    <div className="flex h-full flex-col gap-3">
      <div className="flex items-start gap-3">
        <ProviderTile channel={channel} />
        <div className="min-w-0">
          <h3 className="flex flex-wrap items-center gap-2 font-semibold">
            {words(channel)} <State tone={tone}>{title}</State>
          </h3>
          <p className="break-words">
            {account.name} <span className="label">{account.external_id}</span>
          </p>
        </div>
      </div>
      <div className="min-w-0">
        <p className="label">{syncLine(sync)}</p>
        {sync.last_error && <p className="text-problem">{t.connections.providerSays(sync.last_error)}</p>}
        {next && <p className="label">{next}</p>}
        {sync.progress !== null && (
          <progress aria-label={t.connections.readSoFar} className="mt-1 w-48" value={sync.progress} max={1} />
        )}
        <Failed error={syncNow.error} />
      </div>
      {channel === 'chatbot' && status === 'connected' && (
        <details>
          <summary className="cursor-pointer text-accent">{t.connect.showRequest}</summary>
          <ChatbotRequest profileId={profileId} />
        </details>
      )}
      <OverlapQuestion profileId={profileId} connection={connection} />
      {may('connections:write') && (
        <div className="mt-auto flex flex-wrap gap-2">
          {status !== 'connected' && (
            <button
              type="button"
              className="button"
              aria-label={t.connections.reconnectOf(account.name)}
              onClick={reconnect}
            >
              {t.connections.reconnect}
            </button>
          )}
          {status === 'connected' && (
            <button
              type="button"
              className="button"
              aria-label={t.connections.syncOf(account.name)}
              disabled={syncNow.isPending || sync.state === 'running' || sync.state === 'queued'}
              onClick={() => syncNow.mutate()}
            >
              {t.connections.syncNow}
            </button>
          )}
          {status !== 'disconnected' && (
            <button
              type="button"
              className="button"
              aria-label={t.connections.disconnectOf(account.name)}
              onClick={() => setDisconnecting(true)}
            >
              {t.connections.disconnect}
            </button>
          )}
        </div>
      )}
      {isDisconnecting && (
        <Disconnect profileId={profileId} connection={connection} onClose={() => setDisconnecting(false)} />
      )}
    </div>
  );
}

function syncLine({ state, last_success_at: success, next_run_at: next }: Connection['sync']): string {
  if (state === 'running') return t.connections.beingRead;
  const read = success ? t.connections.read(ago(success)) : t.connections.notRead;
  return next && Date.parse(next) > Date.now() ? t.connections.nextAt(read, localTime(next)) : `${read}.`;
}
