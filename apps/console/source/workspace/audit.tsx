import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { localMoment, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { OnlyAdmins } from '../parts/only-admins.tsx';
import { Page, State } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { auditActions } from '../vocabulary.ts';
import { useNames } from './access-log.tsx';
import { type AuditEntry, auditLogQuery } from './queries.ts';

export const Audit = () => (
  <OnlyAdmins title={t.pages.audit}>
    <AuditPage />
  </OnlyAdmins>
);

function AuditPage() {
  const { workspaceId = '' } = useMembership();
  const log = useInfiniteQuery({ ...auditLogQuery(workspaceId), enabled: workspaceId !== '' });
  const whoIs = useNames(workspaceId);
  const columns = useMemo(() => columnsOf(whoIs), [whoIs]);
  return (
    <Page title={t.pages.audit} about={t.workspace.auditAbout}>
      <PagedTable
        query={log}
        caption={t.workspace.auditCaption}
        columns={columns}
        keyOf={({ sequence }) => String(sequence)}
        empty={<Empty title={t.workspace.nothingChanged} />}
      />
    </Page>
  );
}

const columnsOf = (whoIs: ReturnType<typeof useNames>): Column<AuditEntry>[] => [
  { id: 'who', title: t.workspace.who, value: ({ actor }) => whoIs(actor), cell: ({ actor }) => whoIs(actor) },
  {
    id: 'action',
    title: t.workspace.what,
    value: ({ action }) => action,
    cell: ({ action, target }) => (
      <>
        {words((auditActions[action] ?? action).replaceAll('.', '_'))}
        <span className="label block break-all">{target}</span>
      </>
    ),
  },
  {
    id: 'result',
    title: t.workspace.result,
    value: ({ result }) => result,
    cell: ({ result }) => <State tone={result === 'done' ? 'plain' : 'bad'}>{words(result)}</State>,
  },
  { id: 'at', title: t.common.when, value: ({ at }) => at, cell: ({ at }) => localMoment(at) },
  {
    id: 'sequence',
    title: t.workspace.number,
    isNumber: true,
    value: ({ sequence }) => sequence,
    cell: ({ sequence }) => sequence,
  },
];
