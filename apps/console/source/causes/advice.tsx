import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BudgetPanel } from '../ads/change-budget.tsx';
import { money, percent } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { LineForm, TitledField } from '../parts/line-form.tsx';
import { State } from '../parts/page.tsx';
import { Empty, QueryResult } from '../parts/states.tsx';
import { type AdviceRow, type Advice as Advised, adviceQuery } from './queries.ts';

/** Which budgets to raise or lower where the model is certain. Each advice links to the budget panel with the advised amount. */
export function Advice({ profileId }: { readonly profileId: string }) {
  const [margin, setMargin] = useState('');
  const [targetMargin, setTargetMargin] = useState<number>();
  return (
    <section className="grid gap-3" aria-labelledby="advice">
      <h2 id="advice">{t.advice.title}</h2>
      <p className="label max-w-prose">{t.advice.about}</p>
      <LineForm onSubmit={() => setTargetMargin(Number(margin))}>
        <TitledField title={t.advice.margin}>
          <input
            className="field w-24"
            type="number"
            required
            min="1"
            max="100"
            step="any"
            value={margin}
            onChange={({ target }) => setMargin(target.value)}
          />
        </TitledField>
        <button type="submit" className="button">
          {t.advice.ask}
        </button>
      </LineForm>
      {targetMargin !== undefined && <AdviceRows profileId={profileId} margin={targetMargin} />}
    </section>
  );
}

function AdviceRows({ profileId, margin }: { readonly profileId: string; readonly margin: number }) {
  const advice = useQuery(adviceQuery(profileId, margin));
  return (
    <QueryResult query={advice}>
      {({ data, meta }) =>
        meta.reason ? (
          <Empty title={t.advice.none}>{t.advice.reasons[meta.reason]}</Empty>
        ) : (
          <ul aria-label={t.advice.title} className="grid gap-3">
            {data.map((row) => (
              <li key={row.entity_id} className="card grid gap-2 p-5">
                <Line row={row} meta={meta} />
              </li>
            ))}
          </ul>
        )
      }
    </QueryResult>
  );
}

interface LineProps {
  readonly row: AdviceRow;
  readonly meta: Advised['meta'];
}

function Line({ row, meta: { currency } }: LineProps) {
  const { may } = useMembership();
  const [isOpen, setIsOpen] = useState(false);
  const shown = (amount: number) => money(amount, currency);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <strong>{row.name ?? row.external_id}</strong>
        <State tone={row.action === 'raise' ? 'good' : 'bad'}>
          {row.action === 'raise'
            ? t.advice.raise(percent(row.step_pct / 100))
            : t.advice.lower(percent(row.step_pct / 100))}
        </State>
        <span className="label">{t.advice.sure(percent(row.chance))}</span>
        {row.tests.length > 0 && <State tone="good">{t.causes.tested}</State>}
      </p>
      <p className="label">
        {t.advice.because(shown(row.caused_low), shown(row.caused_high), shown(row.break_even), shown(row.spend))}
      </p>
      {may('campaigns:apply') ? (
        <div>
          <button
            type="button"
            className="button"
            aria-expanded={isOpen}
            aria-label={t.budget.changeOf(row.name ?? row.external_id)}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? t.common.close : t.budget.change}
          </button>
        </div>
      ) : (
        <p className="label">{t.advice.noRequest}</p>
      )}
      {isOpen && (
        <BudgetPanel
          holder={{ level: 'campaign', externalId: row.external_id }}
          advice={{ action: row.action, stepPct: row.step_pct }}
        />
      )}
    </>
  );
}
