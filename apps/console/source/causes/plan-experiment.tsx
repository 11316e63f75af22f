import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { today } from '../date-range.ts';
import { Failed } from '../parts/page.tsx';
import { usePlace } from '../place.ts';
import { campaignsQuery } from '../queries.ts';
import { say } from '../words/index.ts';

/** A test by regions: half of them, by lot, do without a campaign for some weeks. */
export function PlanExperiment({ profileId }: { readonly profileId: string }) {
  const { place, model } = usePlace();
  const campaigns = useQuery(campaignsQuery(place, 'campaign', model));
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [entity, setEntity] = useState('');
  const [from, setFrom] = useState(today());
  const [expected, setExpected] = useState('10');
  const plan = useMutation({
    mutationFn: () =>
      clientFor(profileId).createExperiment({
        body: {
          kind: 'regions',
          name,
          entity_ids: [entity],
          date_from: from,
          expected_effect_pct: Number(expected),
        },
      }),
    onSuccess: () => {
      setName('');
      return queryClient.invalidateQueries({ queryKey: [profileId, 'experiments'] });
    },
  });
  return (
    <section className="card grid gap-3 p-5" aria-labelledby="plan">
      <h2 id="plan">{say.experiments.plan}</h2>
      <p className="label max-w-prose">{say.experiments.planAbout}</p>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          plan.mutate();
        }}
      >
        <label className="grid gap-1">
          <span className="label">{say.common.name}</span>
          <input
            className="field"
            required
            maxLength={200}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <label className="grid gap-1">
          <span className="label">{say.experiments.campaign}</span>
          <select className="field" required value={entity} onChange={({ target }) => setEntity(target.value)}>
            <option value="">{say.experiments.choose}</option>
            {campaigns.data?.rows.map(({ campaign_id: id, campaign_name: title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label className="grid gap-1">
          <span className="label">{say.days.first}</span>
          <input className="field" type="date" required value={from} onChange={({ target }) => setFrom(target.value)} />
        </label>
        <label className="grid gap-1">
          <span className="label">{say.experiments.expected}</span>
          <input
            className="field w-24"
            type="number"
            required
            min="0.1"
            max="100"
            step="any"
            value={expected}
            onChange={({ target }) => setExpected(target.value)}
          />
        </label>
        <button type="submit" className="button-main" disabled={plan.isPending}>
          {say.experiments.planIt}
        </button>
      </form>
      <Failed error={plan.error} />
    </section>
  );
}
