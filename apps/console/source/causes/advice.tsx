import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { stateOf } from '../ads/change-ad.tsx';
import { undo } from '../ads/queries.ts';
import { money, percent } from '../format.ts';
import { useMembership } from '../membership.ts';
import { LineForm, Titled } from '../parts/line-form.tsx';
import { Failed, State } from '../parts/page.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { say } from '../words/index.ts';
import { type AdviceRow, type Advice as Advised, adviceQuery } from './queries.ts';

/** Which budgets to raise or lower, where that is sure. Nothing here changes anything: a press shows what a change would do. */
export function Advice({ profileId }: { readonly profileId: string }) {
  const [margin, setMargin] = useState('');
  const [asked, setAsked] = useState<number>();
  return (
    <section className="grid gap-3" aria-labelledby="advice">
      <h2 id="advice">{say.advice.title}</h2>
      <p className="label max-w-prose">{say.advice.about}</p>
      <LineForm onSubmit={() => setAsked(Number(margin))}>
        <Titled title={say.advice.margin}>
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
        </Titled>
        <button type="submit" className="button">
          {say.advice.ask}
        </button>
      </LineForm>
      {asked !== undefined && <Found profileId={profileId} margin={asked} />}
    </section>
  );
}

function Found({ profileId, margin }: { readonly profileId: string; readonly margin: number }) {
  const advice = useQuery(adviceQuery(profileId, margin));
  return (
    <Answered query={advice}>
      {({ data, meta }) =>
        meta.reason ? (
          <Empty title={say.advice.none}>{say.advice.reasons[meta.reason]}</Empty>
        ) : (
          <ul aria-label={say.advice.title} className="grid gap-3">
            {data.map((row) => (
              <li key={row.entity_id} className="card grid gap-2 p-5">
                <Line profileId={profileId} row={row} meta={meta} />
              </li>
            ))}
          </ul>
        )
      }
    </Answered>
  );
}

interface LineProps {
  readonly profileId: string;
  readonly row: AdviceRow;
  readonly meta: Advised['meta'];
}

function Line({ profileId, row, meta: { currency } }: LineProps) {
  const { may } = useMembership();
  const shown = (amount: number) => money(amount, currency);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <strong>{row.name ?? row.external_id}</strong>
        <State tone={row.action === 'raise' ? 'good' : 'bad'}>
          {row.action === 'raise'
            ? say.advice.raise(percent(row.step_pct / 100))
            : say.advice.lower(percent(row.step_pct / 100))}
        </State>
        <span className="label">{say.advice.sure(percent(row.chance))}</span>
        {row.tests.length > 0 && <State tone="good">{say.causes.tested}</State>}
      </p>
      <p className="label">
        {say.advice.because(shown(row.caused_low), shown(row.caused_high), shown(row.break_even), shown(row.spend))}
      </p>
      {row.requests.length === 0 || !may('campaigns:apply') ? (
        <p className="label">{say.advice.noRequest}</p>
      ) : (
        row.requests.map((request) => <Try key={request.path} profileId={profileId} request={request} />)
      )}
    </>
  );
}

function Try({ profileId, request }: { readonly profileId: string; readonly request: AdviceRow['requests'][number] }) {
  const tried = useMutation({ mutationFn: () => undo(profileId, request, true, crypto.randomUUID()) });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <button type="button" className="button" disabled={tried.isPending} onClick={() => tried.mutate()}>
        {say.advice.tryIt(request.ad_set_name)}
      </button>
      {tried.data && (
        <span role="status">
          {say.ads.tried(request.ad_set_name, stateOf(tried.data.before), stateOf(tried.data.after))}.
        </span>
      )}
      <Failed error={tried.error} />
    </div>
  );
}
