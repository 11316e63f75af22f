import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { limits } from '../vocabulary.ts';
import { invalidateFigures, type SaleSources } from './queries.ts';

interface SourceSettingsProps {
  readonly profileId: string;
  readonly settings: SaleSources['settings'];
}

/** Which record of a sale counts, and the maximum time between two records of one sale. */
export function SourceSettings({ profileId, settings }: SourceSettingsProps) {
  const [order, setOrder] = useState(settings.preference);
  const [minutes, setMinutes] = useState(String(settings.window_minutes));
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      clientFor(profileId).updateSaleSettings({ body: { preference: order, window_minutes: Number(minutes) } }),
    onSuccess: () => invalidateFigures(queryClient),
  });
  const move = (index: number, by: -1 | 1) => {
    const next = [...order];
    const [kind] = next.splice(index, 1);
    if (kind) next.splice(index + by, 0, kind);
    setOrder(next);
  };
  const isChanged = order.join() !== settings.preference.join() || minutes !== String(settings.window_minutes);
  return (
    <form
      aria-labelledby="preference"
      className="card grid max-w-xl gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h2 id="preference">{t.sales.preference}</h2>
      <p className="text-soft">{t.sales.preferenceAbout}</p>
      <ol aria-labelledby="preference" className="grid gap-1">
        {order.map((kind, index) => (
          <li key={kind} className="flex items-center justify-between gap-3 rounded-md border border-line px-3 py-1.5">
            <span>
              <span className="number mr-2 text-soft">{index + 1}</span>
              {t.sales.kinds[kind]}
            </span>
            <span className="flex gap-1">
              <button
                type="button"
                className="button px-2 py-0.5"
                aria-label={t.sales.up(t.sales.kinds[kind])}
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                <span aria-hidden="true">↑</span>
              </button>
              <button
                type="button"
                className="button px-2 py-0.5"
                aria-label={t.sales.down(t.sales.kinds[kind])}
                disabled={index === order.length - 1}
                onClick={() => move(index, 1)}
              >
                <span aria-hidden="true">↓</span>
              </button>
            </span>
          </li>
        ))}
      </ol>
      <Labelled title={t.sales.window} about={t.sales.windowAbout}>
        {(id) => (
          <input
            id={id}
            type="number"
            className="field w-32"
            required
            min={limits.saleWindowMinutes.min}
            max={limits.saleWindowMinutes.max}
            value={minutes}
            onChange={({ target }) => setMinutes(target.value)}
          />
        )}
      </Labelled>
      <button type="submit" className="button-main justify-self-start" disabled={save.isPending || !isChanged}>
        {t.sales.save}
      </button>
      {save.isSuccess && !isChanged && <p role="status">{t.sales.saved}</p>}
      <Failed error={save.error} />
    </form>
  );
}
