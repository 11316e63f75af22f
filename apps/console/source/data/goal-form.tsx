import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { LineForm, NameField, TitledField } from '../parts/line-form.tsx';
import { Failed } from '../parts/page.tsx';
import { limits } from '../vocabulary.ts';
import { definitionsQuery, type GoalDefinition, receivedEventsQuery } from './queries.ts';

/** The initial values of the form: the goal being edited, or the event that a goal is created for. */
export type GoalDraft = Partial<
  Pick<GoalDefinition, 'conversion_key' | 'name' | 'event_names' | 'lookback_window_days' | 'counts_as_cash'>
>;

interface GoalFormProps {
  readonly profileId: string;
  readonly draft?: GoalDraft;
  readonly onSaved?: () => void;
}

/** Event names may contain spaces, so only commas separate them. */
const eventsIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

export function useRefreshGoals(profileId: string): () => Promise<unknown> {
  const queryClient = useQueryClient();
  return () =>
    Promise.all([
      queryClient.invalidateQueries(definitionsQuery(profileId)),
      queryClient.invalidateQueries(receivedEventsQuery(profileId)),
      queryClient.invalidateQueries({ queryKey: ['goals', profileId] }),
    ]);
}

export function GoalForm({ profileId, draft = {}, onSaved }: GoalFormProps) {
  const refresh = useRefreshGoals(profileId);
  const before = draft.event_names?.join(', ') ?? '';
  const [name, setName] = useState(draft.name ?? '');
  const [events, setEvents] = useState(before);
  const [days, setDays] = useState(String(draft.lookback_window_days ?? limits.lookbackDays.default));
  const [isCash, setIsCash] = useState(draft.counts_as_cash ?? false);
  const names = eventsIn(events);
  const save = useMutation({
    mutationFn: () =>
      clientFor(profileId).createGoalDefinition({
        body: {
          name,
          ...(draft.conversion_key && { conversion_key: draft.conversion_key }),
          counts_as_cash: isCash,
          lookback_window_days: Number(days),
          // An event name may contain a comma, so an unchanged list is sent as it was received.
          ...(events === before
            ? draft.event_names && { event_names: draft.event_names }
            : names.length > 0 && { event_names: names }),
        },
      }),
    onSuccess: async () => {
      await refresh();
      if (onSaved) return onSaved();
      setName('');
      setEvents('');
    },
  });
  return (
    <>
      <LineForm onSubmit={() => save.mutate()}>
        <NameField maxLength={200} value={name} onChange={setName} />
        <TitledField title={t.goals.events}>
          <input className="field" value={events} onChange={({ target }) => setEvents(target.value)} />
        </TitledField>
        <TitledField title={t.goals.windowDays}>
          <input
            className="field w-24"
            type="number"
            required
            min={limits.lookbackDays.min}
            max={limits.lookbackDays.max}
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        </TitledField>
        <label className="flex items-center gap-2 py-2">
          <input type="checkbox" checked={isCash} onChange={({ target }) => setIsCash(target.checked)} />
          {t.goals.isRevenue}
        </label>
        <button type="submit" className="button-main" disabled={save.isPending}>
          {t.goals.save}
        </button>
      </LineForm>
      {save.isSuccess && (
        <p role="status" className="label">
          {t.goals.saved(save.data.data.name)}
        </p>
      )}
      <Failed error={save.error} />
    </>
  );
}
