import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { ago, count, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ConfirmButton, Dialog } from '../parts/dialog.tsx';
import { Failed, Page } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { limits } from '../vocabulary.ts';
import { type GoalDraft, GoalForm, useRefreshGoals } from './goal-form.tsx';
import { definitionsQuery, type GoalDefinition, type ReceivedEvent, receivedEventsQuery } from './queries.ts';

/** Goals: which events count as conversions, whether they count as cash, and the attribution window. */
export function Goals() {
  const { profileId } = useReportScope().scope;
  const mayWrite = useMembership().may('goals:write');
  const definitions = useQuery(definitionsQuery(profileId));
  const received = useQuery(receivedEventsQuery(profileId));
  const [edited, setEdited] = useState<GoalDraft>();
  const columns = columnsOf(received.data, mayWrite ? { profileId, onEdit: setEdited } : undefined);
  return (
    <Page title={t.pages.goals} about={t.goals.about}>
      <div className="grid gap-5">
        <QueryResult query={definitions}>
          {(rows) => <DataTable caption={t.pages.goals} columns={columns} rows={rows} keyOf={({ id }) => id} />}
        </QueryResult>
        <section className="card grid gap-3 p-5" aria-labelledby="uncounted">
          <h2 id="uncounted">{t.goals.uncounted}</h2>
          <QueryResult query={received}>
            {(events) => <UncountedEvents events={events} {...(mayWrite && { onCount: setEdited })} />}
          </QueryResult>
        </section>
        {mayWrite && (
          <section className="card grid gap-3 p-5" aria-labelledby="new-goal">
            <h2 id="new-goal">{t.goals.add}</h2>
            <p className="label max-w-prose">{t.goals.addAbout}</p>
            <GoalForm profileId={profileId} />
          </section>
        )}
      </div>
      {edited && (
        <Dialog
          title={edited.conversion_key ? t.goals.editOf(edited.name ?? '') : t.goals.countOf(edited.name ?? '')}
          isOpen
          onClose={() => setEdited(undefined)}
        >
          <GoalForm profileId={profileId} draft={edited} onSaved={() => setEdited(undefined)} />
          <div className="flex justify-end">
            <button type="button" className="button" onClick={() => setEdited(undefined)}>
              {t.common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

/** The API stops counting at a limit. */
const countOf = (value: number): string => (value >= limits.receivedEvents.counted ? `${count(value)}+` : count(value));

function UncountedEvents({
  events,
  onCount,
}: {
  readonly events: readonly ReceivedEvent[];
  readonly onCount?: (draft: GoalDraft) => void;
}) {
  const uncounted = events.filter(({ definition_id: id }) => id === null);
  if (uncounted.length === 0) return <p className="label">{t.goals.allCounted}</p>;
  return (
    <>
      <p className="label max-w-prose">{t.goals.uncountedAbout}</p>
      <ul className="grid gap-2">
        {uncounted.map(({ event_name: name, count: received, last_occurred_at: at }) => (
          <li key={name} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-2">
            <span className="min-w-0 break-words">
              {name}
              <span className="label block">
                {t.goals.receivedTimes(countOf(received))}, {t.goals.last(ago(at))}
              </span>
            </span>
            {onCount && (
              <button
                type="button"
                className="button"
                aria-label={t.goals.countOf(name)}
                onClick={() => onCount({ name, event_names: [name] })}
              >
                {t.goals.count}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface Editing {
  readonly profileId: string;
  readonly onEdit: (draft: GoalDraft) => void;
}

function Actions({ goal, profileId, onEdit }: Editing & { readonly goal: GoalDefinition }) {
  const refresh = useRefreshGoals(profileId);
  const remove = useMutation({
    mutationFn: () => clientFor(profileId).deleteGoalDefinition({ params: { id: goal.id } }),
    onSuccess: refresh,
  });
  return (
    <span className="flex flex-wrap gap-2 lg:justify-end">
      <button type="button" className="button" aria-label={t.goals.editOf(goal.name)} onClick={() => onEdit(goal)}>
        {t.goals.edit}
      </button>
      {!goal.is_default && (
        <ConfirmButton
          label={t.goals.removeOf(goal.name)}
          question={t.goals.removeAsk(goal.name)}
          about={t.goals.removeAbout}
          disabled={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          {t.goals.remove}
        </ConfirmButton>
      )}
      <Failed error={remove.error} />
    </span>
  );
}

function columnsOf(received: readonly ReceivedEvent[] | undefined, editing: Editing | undefined) {
  const eventsOf = ({ id }: GoalDefinition) => received?.filter(({ definition_id: of }) => of === id);
  const timesOf = (goal: GoalDefinition) => eventsOf(goal)?.reduce((sum, event) => sum + event.count, 0) ?? null;
  const columns: Column<GoalDefinition>[] = [
    {
      id: 'name',
      title: t.common.name,
      value: ({ name }) => name,
      cell: ({ name, is_default: isMain }) => (
        <>
          {name}
          {isMain && <span className="label block">{t.goals.main}</span>}
        </>
      ),
    },
    {
      id: 'events',
      title: t.goals.events,
      value: ({ event_names: names }) => names.join(', '),
      cell: ({ event_names: names }) => <span className="break-words">{names.join(', ')}</span>,
    },
    {
      id: 'received',
      title: t.goals.received,
      isNumber: true,
      value: timesOf,
      cell: (goal) => {
        const times = timesOf(goal);
        const last = eventsOf(goal)
          ?.map(({ last_occurred_at: at }) => at)
          .sort()
          .at(-1);
        return (
          <>
            {times === null ? count(null) : countOf(times)}
            {last && <span className="label block">{t.goals.last(ago(last))}</span>}
          </>
        );
      },
    },
    {
      id: 'counts',
      title: t.goals.countsAs,
      value: ({ revenue_type: type }) => type,
      cell: ({
        counts_as_cash: isCash,
        is_attribution_eligible: isEligible,
        conversion_type: type,
        conversion_key: key,
      }) => (
        <>
          {isCash ? t.goals.revenue : t.goals.noRevenue}
          {type !== key && <span className="label block">{words(type)}</span>}
          {!isEligible && <span className="label block">{t.goals.notCredited}</span>}
        </>
      ),
    },
    {
      id: 'window',
      title: t.goals.window,
      isNumber: true,
      value: ({ lookback_window_days: days }) => days,
      cell: ({ lookback_window_days: days }) => t.goals.days(count(days)),
    },
  ];
  if (!editing) return columns;
  const actions: Column<GoalDefinition> = {
    id: 'actions',
    title: t.goals.actions,
    value: () => null,
    cell: (goal) => <Actions goal={goal} {...editing} />,
  };
  return [...columns, actions];
}
