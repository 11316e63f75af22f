import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { count, localMoment, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { OnlyAdmins } from '../parts/only-admins.tsx';
import { Page, State } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { type Access, accessLogQuery, membersQuery } from './queries.ts';

/** The data access log: who read personal data, when and through which operation. */
export const AccessLog = () => (
  <OnlyAdmins title={t.pages.accessLog}>
    <AccessLogPage />
  </OnlyAdmins>
);

function AccessLogPage() {
  const { workspaceId = '' } = useMembership();
  const log = useInfiniteQuery({ ...accessLogQuery(workspaceId), enabled: workspaceId !== '' });
  const whoIs = useNames(workspaceId);
  const columns = useMemo(() => columnsOf(whoIs), [whoIs]);
  return (
    <Page title={t.pages.accessLog} about={t.workspace.accessAbout}>
      <PagedTable
        query={log}
        caption={t.workspace.accessCaption}
        columns={columns}
        keyOf={({ request_id: id, at, operation }) => `${at} ${id} ${operation}`}
        empty={<Empty title={t.workspace.nobodyRead}>{t.workspace.nobodyReadAbout}</Empty>}
      />
    </Page>
  );
}

/** Members by name, other actors by their kind. */
export function useNames(workspaceId: string): (actor: { kind: string; id: string }) => string {
  const { data: members } = useQuery({ ...membersQuery(workspaceId), enabled: workspaceId !== '' });
  return useMemo(() => {
    const names = new Map(members?.map(({ user_id: id, name, email }) => [id, name || email]));
    return ({ kind, id }) => names.get(id) ?? `${words(kind)} ${id.slice(0, 8)}`;
  }, [members]);
}

const columnsOf = (whoIs: ReturnType<typeof useNames>): Column<Access>[] => [
  { id: 'who', title: t.workspace.who, value: ({ actor }) => whoIs(actor), cell: ({ actor }) => whoIs(actor) },
  {
    id: 'what',
    title: t.workspace.asked,
    value: ({ operation }) => operation,
    cell: ({ operation, route }) => (
      <>
        {asWords(operation)}
        <span className="label block break-words">{route}</span>
      </>
    ),
  },
  {
    id: 'people',
    title: t.workspace.people,
    isNumber: true,
    value: ({ people }) => people,
    cell: ({ people }) => count(people),
  },
  {
    id: 'result',
    title: t.workspace.result,
    value: ({ result }) => result,
    cell: ({ result }) => <State tone={result === 'served' ? 'plain' : 'bad'}>{words(result)}</State>,
  },
  { id: 'at', title: t.common.when, value: ({ at }) => at, cell: ({ at }) => localMoment(at) },
];

/** Turns `readCustomerJourney` into "Read customer journey". */
const asWords = (operation: string): string =>
  words(operation.replace(/([a-z])([A-Z])/g, (_, before, after) => `${before}_${after.toLowerCase()}`));
