import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { campaignsQuery } from '../campaigns-query.ts';
import { clientFor } from '../client.ts';
import { moved, today } from '../date-range.ts';
import { t } from '../messages/index.ts';
import { LineForm, NameField, TitledField } from '../parts/line-form.tsx';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';

/** A geo experiment: a random half of the regions goes without a campaign for some weeks. */
export function PlanExperiment({ profileId }: { readonly profileId: string }) {
  const { scope, model } = useReportScope();
  const campaigns = useQuery(campaignsQuery(scope, 'campaign', model));
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [entity, setEntity] = useState('');
  // An experiment cannot start in the past or today.
  const tomorrow = moved(today(), 1);
  const [from, setFrom] = useState(tomorrow);
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
      <h2 id="plan">{t.experiments.plan}</h2>
      <p className="label max-w-prose">{t.experiments.planAbout}</p>
      <LineForm onSubmit={() => plan.mutate()}>
        <NameField maxLength={200} value={name} onChange={setName} />
        <TitledField title={t.experiments.campaign}>
          <select className="field" required value={entity} onChange={({ target }) => setEntity(target.value)}>
            <option value="">{t.experiments.choose}</option>
            {campaigns.data?.rows.map(({ campaign_id: id, campaign_name: title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </TitledField>
        <TitledField title={t.days.first}>
          <input
            className="field"
            type="date"
            required
            min={tomorrow}
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </TitledField>
        <TitledField title={t.experiments.expected}>
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
        </TitledField>
        <button type="submit" className="button-main" disabled={plan.isPending}>
          {t.experiments.planIt}
        </button>
      </LineForm>
      <Failed error={plan.error} />
    </section>
  );
}
