import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import type { Column } from '../parts/columns.ts';
import { Page, State } from '../parts/page.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { Empty } from '../parts/states.tsx';
import { useNames } from './access-log.tsx';
import { type AuditEntry, auditLogQuery } from './queries.ts';

/** Who changed what. */
export function Audit() {
  const { workspaceId = '' } = useMembership();
  const log = useInfiniteQuery({ ...auditLogQuery(workspaceId), enabled: workspaceId !== '' });
  const whoIs = useNames(workspaceId);
  const columns = useMemo(() => columnsOf(whoIs), [whoIs]);
  return (
    <Page
      title="Audit"
      about="Every change in this workspace, refused attempts too. Entries form a chain: none can be changed or left out unnoticed."
    >
      <PagedTable
        query={log}
        caption="Changes, newest first"
        columns={columns}
        keyOf={({ sequence }) => String(sequence)}
        empty={<Empty title="Nothing was changed yet" />}
      />
    </Page>
  );
}

const columnsOf = (whoIs: ReturnType<typeof useNames>): Column<AuditEntry>[] => [
  { id: 'who', title: 'Who', value: ({ actor }) => whoIs(actor), cell: ({ actor }) => whoIs(actor) },
  {
    id: 'action',
    title: 'What',
    value: ({ action }) => action,
    cell: ({ action, target }) => (
      <>
        {words(action.replaceAll('.', ' '))}
        <span className="label block break-all">{target}</span>
      </>
    ),
  },
  {
    id: 'result',
    title: 'Result',
    value: ({ result }) => result,
    cell: ({ result }) => <State tone={result === 'done' ? 'plain' : 'bad'}>{words(result)}</State>,
  },
  { id: 'at', title: 'When', value: ({ at }) => at, cell: ({ at }) => new Date(at).toLocaleString() },
  { id: 'sequence', title: 'No.', isNumber: true, value: ({ sequence }) => sequence, cell: ({ sequence }) => sequence },
];
