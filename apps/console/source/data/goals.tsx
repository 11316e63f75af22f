import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { count, words } from '../format.ts';
import { useMembership } from '../membership.ts';
import type { Column } from '../parts/columns.ts';
import { DataTable } from '../parts/data-table.tsx';
import { LineForm, NameField, Titled } from '../parts/line-form.tsx';
import { Failed, Page } from '../parts/page.tsx';
import { Answered } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { limits } from '../vocabulary.ts';
import { say } from '../words/index.ts';
import { definitionsQuery, type GoalDefinition } from './queries.ts';

/** What counts as a conversion: which events, whether as money, and how far back a touch may earn. */
export function Goals() {
  const { profileId } = usePlace().place;
  const { may } = useMembership();
  const definitions = useQuery(definitionsQuery(profileId));
  return (
    <Page title={say.pages.goals} about={say.goals.about}>
      <div className="grid gap-5">
        <Answered query={definitions}>
          {(rows) => <DataTable caption={say.pages.goals} columns={columns} rows={rows} keyOf={({ id }) => id} />}
        </Answered>
        {may('goals:write') && <NewGoal profileId={profileId} />}
      </div>
    </Page>
  );
}

const columns: Column<GoalDefinition>[] = [
  {
    id: 'name',
    title: say.common.name,
    value: ({ name }) => name,
    cell: ({ name, conversion_key: key }) => (
      <>
        {name}
        <span className="label block break-all">{key}</span>
      </>
    ),
  },
  {
    id: 'events',
    title: say.goals.events,
    value: ({ event_names: names }) => names.join(', '),
    cell: ({ event_names: names }) => <span className="break-words">{names.join(', ')}</span>,
  },
  {
    id: 'type',
    title: say.goals.type,
    value: ({ conversion_type: type }) => type,
    cell: ({ conversion_type: type }) => words(type),
  },
  {
    id: 'counts',
    title: say.goals.countsAs,
    value: ({ revenue_type: type }) => type,
    cell: ({ counts_as_cash: isCash, is_attribution_eligible: isEligible }) => (
      <>
        {isCash ? say.goals.revenue : say.goals.noRevenue}
        {!isEligible && <span className="label block">{say.goals.notCredited}</span>}
      </>
    ),
  },
  {
    id: 'window',
    title: say.goals.window,
    isNumber: true,
    value: ({ lookback_window_days: days }) => days,
    cell: ({ lookback_window_days: days }) => say.goals.days(count(days)),
  },
];

/** The same name again changes the goal that is there. */
function NewGoal({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [events, setEvents] = useState('');
  const [days, setDays] = useState(String(limits.lookbackDays.default));
  const [isCash, setIsCash] = useState(false);
  const names = events.split(/[\s,]+/).filter(Boolean);
  const save = useMutation({
    mutationFn: () =>
      clientFor(profileId).createGoalDefinition({
        body: {
          name,
          counts_as_cash: isCash,
          lookback_window_days: Number(days),
          ...(names.length > 0 && { event_names: names }),
        },
      }),
    onSuccess: () => {
      setName('');
      setEvents('');
      return Promise.all([
        queryClient.invalidateQueries(definitionsQuery(profileId)),
        queryClient.invalidateQueries({ queryKey: ['goals', profileId] }),
      ]);
    },
  });
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="new-goal">
      <h2 id="new-goal">{say.goals.add}</h2>
      <p className="label max-w-prose">{say.goals.addAbout}</p>
      <LineForm onSubmit={() => save.mutate()}>
        <NameField maxLength={200} value={name} onChange={setName} />
        <Titled title={say.goals.events}>
          <input className="field" value={events} onChange={({ target }) => setEvents(target.value)} />
        </Titled>
        <Titled title={say.goals.windowDays}>
          <input
            className="field w-24"
            type="number"
            required
            min={limits.lookbackDays.min}
            max={limits.lookbackDays.max}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        </Titled>
        <label className="flex items-center gap-2 py-2">
          <input type="checkbox" checked={isCash} onChange={({ target }) => setIsCash(target.checked)} />
          {say.goals.isRevenue}
        </label>
        <button type="submit" className="button-main" disabled={save.isPending}>
          {say.goals.save}
        </button>
      </LineForm>
      {save.isSuccess && (
        <p role="status" className="label">
          {say.goals.saved(save.data.data.name)}
        </p>
      )}
      <Failed error={save.error} />
    </section>
  );
}
