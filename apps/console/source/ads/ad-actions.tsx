import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { localMoment, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Failed, Page, State } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { More } from '../people/more.tsx';
import { useReportScope } from '../report-scope.ts';
import { membersQuery } from '../workspace/queries.ts';
import { stateOf } from './change-ad.tsx';
import { type AdAction, adActionsQuery, undo } from './queries.ts';

/** The log of changes at ad platforms, including refused ones, with a button to undo each. */
export function AdActions() {
  const { scope, linkSearch } = useReportScope();
  const query = useInfiniteQuery(adActionsQuery(scope.profileId));
  return (
    <Page title={t.pages.adActions} about={t.ads.about}>
      {query.isError ? (
        <Problem error={query.error} again={() => void query.refetch()} />
      ) : !query.data ? (
        <Loading lines={6} />
      ) : query.data.pages[0]?.data.length === 0 ? (
        <Empty title={t.ads.nothingChanged}>
          {t.ads.openBefore}{' '}
          <Link
            to="/p/$profileId/campaigns"
            params={{ profileId: scope.profileId }}
            search={{ ...linkSearch, level: 'campaign' }}
            className="text-accent underline"
          >
            {t.pages.campaigns}
          </Link>{' '}
          {t.ads.openAfter}
        </Empty>
      ) : (
        <>
          <DataTable
            caption={t.ads.caption}
            columns={columns}
            rows={query.data.pages.flatMap((page) => page.data)}
            keyOf={({ id }) => id}
          />
          <More query={query} />
        </>
      )}
    </Page>
  );
}

const tones = { applied: 'good', failed: 'bad', refused: 'bad', unknown: 'bad' } as const;

const columns: Column<AdAction>[] = [
  {
    id: 'what',
    title: t.ads.change,
    value: ({ kind }) => kind,
    cell: ({ kind, level, external_id: id, name, platform }) => (
      <>
        {t.ads.what(words(kind), words(level).toLowerCase())}
        <span className="label block">
          {words(platform)}: {name ?? id}
        </span>
      </>
    ),
  },
  {
    id: 'state',
    title: t.common.state,
    value: ({ state }) => state,
    cell: ({ state, reason }) => (
      <>
        <State tone={tones[state as keyof typeof tones] ?? 'plain'}>{words(state)}</State>
        {reason && <span className="label block">{words(reason)}</span>}
      </>
    ),
  },
  {
    id: 'before',
    title: t.common.before,
    value: ({ before }) => before && stateOf(before),
    cell: ({ before }) => before && stateOf(before),
  },
  {
    id: 'after',
    title: t.common.after,
    value: ({ after }) => after && stateOf(after),
    cell: ({ after }) => after && stateOf(after),
  },
  {
    id: 'at',
    title: t.common.when,
    value: ({ created_at: at }) => at,
    cell: ({ created_at: at, actor }) => (
      <>
        {localMoment(at)}
        <span className="label block">
          <Actor actor={actor} />
        </span>
      </>
    ),
  },
  { id: 'undo', title: t.common.undo, value: () => null, cell: (action) => <UndoButton action={action} /> },
];

/** The member's name, or the kind of credential. */
function Actor({ actor: { kind, id } }: Pick<AdAction, 'actor'>) {
  const { workspaceId = '' } = useMembership();
  const { data: members } = useQuery({ ...membersQuery(workspaceId), enabled: workspaceId !== '' && kind === 'user' });
  const member = members?.find((one) => one.user_id === id);
  return t.ads.by(member ? member.name || member.email : words(kind).toLowerCase());
}

function UndoButton({ action }: { readonly action: AdAction }) {
  const { profileId } = useReportScope().scope;
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const back = useMutation({
    mutationFn: (made: NonNullable<AdAction['undo']>) => undo(profileId, made, false, key.current),
    onSuccess: () => queryClient.invalidateQueries(adActionsQuery(profileId)),
  });
  const made = action.undo;
  if (!made || !may('campaigns:apply') || action.kind.startsWith('url_tags')) return null;
  return (
    <>
      <button type="button" className="button" disabled={back.isPending} onClick={() => back.mutate(made)}>
        {t.common.undo}
      </button>
      <Failed error={back.error} />
    </>
  );
}
