import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { money, signedPercent, words } from '../format.ts';
import { t } from '../messages/index.ts';
import { LineForm, TitledField } from '../parts/line-form.tsx';
import { Failed } from '../parts/page.tsx';
import { Loading } from '../parts/states.tsx';
import { useReportScope } from '../report-scope.ts';
import { advisedMinor, type Budget, type BudgetAdvice, boundsOf, stepOf, toDecimal, toMinor } from './budget.ts';
import {
  type AdChange,
  adSetsOfQuery,
  type BudgetHolder,
  changeBudget,
  type LiveBudget,
  liveBudgetQuery,
  undo,
} from './queries.ts';

interface BudgetPanelProps {
  readonly holder: BudgetHolder;
  /** The campaign of an ad set; the budget may be set on the campaign instead. */
  readonly campaignExternalId?: string | null | undefined;
  readonly advice?: BudgetAdvice | undefined;
}

/** Changes a daily budget: shows the live one, takes a new one, runs a dry run at the platform, applies it and offers to undo it. */
export function BudgetPanel({ holder, campaignExternalId, advice }: BudgetPanelProps) {
  const { profileId } = useReportScope().scope;
  const live = useQuery(liveBudgetQuery(profileId, holder));
  if (live.isError) return <Failed error={live.error} />;
  if (!live.data) return <Loading lines={2} />;
  const { budget } = live.data;
  if (budget)
    return <BudgetForm key={holder.externalId} holder={holder} live={live.data} budget={budget} advice={advice} />;
  if (holder.level === 'campaign') return <AdSetBudgets campaign={holder.externalId} advice={advice} />;
  return (
    <div className="grid gap-2">
      <p className="text-soft">{t.budget.onCampaign}</p>
      {campaignExternalId && (
        <BudgetPanel holder={{ level: 'campaign', externalId: campaignExternalId }} advice={advice} />
      )}
    </div>
  );
}

/** The ad sets of a campaign without its own budget. Each budget is read from the platform when it is opened. */
function AdSetBudgets({ campaign, advice }: { readonly campaign: string; readonly advice: BudgetAdvice | undefined }) {
  const { scope } = useReportScope();
  const adSets = useQuery(adSetsOfQuery(scope, campaign));
  const [opened, setOpened] = useState<string>();
  if (adSets.isError) return <Failed error={adSets.error} />;
  if (!adSets.data) return <Loading lines={2} />;
  const running = adSets.data.filter(({ status }) => status !== 'ARCHIVED' && status !== 'DELETED');
  if (running.length === 0) return <p className="text-soft">{t.budget.none}</p>;
  return (
    <div className="grid gap-2">
      <p className="text-soft">{t.budget.onAdSets}</p>
      <ul aria-label={t.levels.adSets} className="grid gap-2">
        {running.map(({ external_id: id, campaign_name: name }) =>
          id === null ? null : (
            <li key={id} className="grid gap-2 border-line border-t pt-2">
              <div className="flex flex-wrap items-center gap-3">
                <span className="font-medium">{name}</span>
                <button
                  type="button"
                  className="button"
                  aria-expanded={opened === id}
                  aria-label={t.budget.changeOf(name)}
                  onClick={() => setOpened(opened === id ? undefined : id)}
                >
                  {opened === id ? t.common.close : t.budget.change}
                </button>
              </div>
              {opened === id && <BudgetPanel holder={{ level: 'ad_set', externalId: id }} advice={advice} />}
            </li>
          ),
        )}
      </ul>
    </div>
  );
}

interface FormProps {
  readonly holder: BudgetHolder;
  readonly live: LiveBudget;
  readonly budget: Budget;
  readonly advice: BudgetAdvice | undefined;
}

function BudgetForm({ holder, live, budget, advice }: FormProps) {
  const { profileId } = useReportScope().scope;
  const [wanted, setWanted] = useState(toDecimal(advice ? advisedMinor(budget, advice) : budget.minor, budget));
  const minor = toMinor(wanted, budget);
  const { least, most } = boundsOf(budget);
  const tried = useMutation({
    mutationFn: (amount: number) => changeBudget(profileId, holder, amount, true, crypto.randomUUID()),
  });
  const shown = (amount: number) => money(toDecimal(amount, budget), live.currency);
  const { data } = tried;
  return (
    <section aria-label={t.budget.of(live.name)} className="grid max-w-prose gap-3">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <div>
          <dt className="label">{t.budget.current}</dt>
          <dd className="number font-semibold">{t.budget.perDay(money(budget.decimal, live.currency))}</dd>
        </div>
        <div>
          <dt className="label">{t.common.state}</dt>
          <dd>{words(live.status.toLowerCase())}</dd>
        </div>
        {advice && (
          <div>
            <dt className="label">{t.budget.advised}</dt>
            <dd>
              {t.budget.perDay(shown(advisedMinor(budget, advice)))} (
              {signedPercent((advisedMinor(budget, advice) - budget.minor) / budget.minor)})
            </dd>
          </div>
        )}
      </dl>
      <LineForm onSubmit={() => minor !== undefined && tried.mutate(minor)}>
        <TitledField title={t.budget.new(live.currency)}>
          <input
            className="field number w-36"
            type="number"
            inputMode="decimal"
            required
            min={toDecimal(least, budget)}
            max={toDecimal(most, budget)}
            step={stepOf(budget)}
            value={wanted}
            onChange={({ target }) => {
              setWanted(target.value);
              tried.reset();
            }}
          />
        </TitledField>
        <button type="submit" className="button" disabled={tried.isPending || minor === budget.minor}>
          {t.budget.dryRun}
        </button>
      </LineForm>
      <p className="label">
        {minor !== undefined && minor !== budget.minor && `${signedPercent((minor - budget.minor) / budget.minor)}. `}
        {t.budget.bounds(shown(least), shown(most))}
      </p>
      <Failed error={tried.error} />
      {data && minor !== undefined && <Apply key={minor} holder={holder} minor={minor} tried={data} name={live.name} />}
    </section>
  );
}

interface ApplyProps {
  readonly holder: BudgetHolder;
  readonly minor: number;
  readonly tried: AdChange;
  readonly name: string;
}

/** The result of the dry run, the button that applies the change, and its undo. */
function Apply({ holder, minor, tried, name }: ApplyProps) {
  const { profileId } = useReportScope().scope;
  const queryClient = useQueryClient();
  // One key per change, reused by retries, so that the platform is changed at most once.
  const keys = useRef({ apply: crypto.randomUUID(), undo: crypto.randomUUID() });
  const changed = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [profileId, 'ad actions'] }),
      queryClient.invalidateQueries({ queryKey: ['campaigns', profileId] }),
    ]);
  const apply = useMutation({
    mutationFn: () => changeBudget(profileId, holder, minor, false, keys.current.apply),
    onSuccess: changed,
  });
  const back = useMutation({
    mutationFn: (request: NonNullable<AdChange['undo']>) => undo(profileId, request, false, keys.current.undo),
    onSuccess: changed,
  });
  const perDay = ({ daily_budget: amount, currency }: AdChange['before']) => t.budget.perDay(money(amount, currency));
  if (back.data) return <p role="status">{t.budget.undone(name, perDay(back.data.after))}</p>;
  if (apply.data) {
    const request = apply.data.undo;
    return (
      <div role="status" className="flex flex-wrap items-center gap-3">
        <span>{t.budget.applied(name, perDay(apply.data.before), perDay(apply.data.after))}</span>
        {request && (
          <button type="button" className="button" disabled={back.isPending} onClick={() => back.mutate(request)}>
            {t.common.undo}
          </button>
        )}
        <Failed error={back.error} />
      </div>
    );
  }
  return (
    <div className="grid gap-2">
      <p role="status">
        {tried.outcome === 'no_change'
          ? t.budget.noChange
          : t.budget.tried(name, perDay(tried.before), perDay(tried.after))}
        {tried.may_restart_learning && ` ${t.ads.mayRestart}`}
      </p>
      {tried.outcome !== 'no_change' && (
        <div>
          <button type="button" className="button-main" disabled={apply.isPending} onClick={() => apply.mutate()}>
            {t.budget.apply}
          </button>
        </div>
      )}
      <Failed error={apply.error} />
    </div>
  );
}
