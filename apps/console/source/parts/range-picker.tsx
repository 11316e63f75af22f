import { useEffect, useState } from 'react';
import { type Compared, comparisons, type DateRange, earliest, presets, today, withEnd } from '../date-range.ts';
import { t } from '../messages/index.ts';
import { useChangeSearch, useReportScope } from '../report-scope.ts';

const custom = t.days.custom;

/** The date range of the report and the comparison period. Both are part of the URL, so a copied link shows the same report. */
export function RangePicker({ hasComparison }: { readonly hasComparison: boolean }) {
  const { scope, compared } = useReportScope();
  const { from, to } = scope;
  const change = useChangeSearch();
  const choose = (range: DateRange) => change(range);
  const now = today();
  const named = presets.find(({ range }) => range(now).from === from && range(now).to === to)?.title;
  // Choosing "custom" shows the fields before a date has been entered.
  const [isOwn, setIsOwn] = useState(false);
  const chosen = isOwn || !named ? custom : named;
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="sr-only">{t.days.legend}</legend>
      <select
        aria-label={t.days.days}
        className="field"
        value={chosen}
        onChange={({ target }) => {
          const preset = presets.find(({ title }) => title === target.value);
          setIsOwn(!preset);
          if (preset) choose(preset.range(now));
        }}
      >
        {presets.map(({ title }) => (
          <option key={title}>{title}</option>
        ))}
        <option>{custom}</option>
      </select>
      {chosen === custom && (
        <>
          <DayField label={t.days.first} day={from} choose={(day) => choose(withEnd({ from, to }, 'from', day))} />
          <DayField label={t.days.last} day={to} choose={(day) => choose(withEnd({ from, to }, 'to', day))} />
        </>
      )}
      {hasComparison && (
        <select
          aria-label={t.days.compared}
          className="field"
          value={compared}
          onChange={({ target }) => change({ compared: target.value as Compared })}
        >
          {Object.entries(comparisons).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </fieldset>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly day: string;
  readonly choose: (day: string) => void;
}

/** Typing a year produces the years 2, 20 and 202 on the way, so only plausible dates are requested. */
function DayField({ label, day, choose }: DayFieldProps) {
  const [typed, setTyped] = useState(day);
  useEffect(() => setTyped(day), [day]);
  return (
    <input
      aria-label={label}
      type="date"
      min={earliest}
      className="field number"
      value={typed}
      onChange={({ target: { value } }) => {
        setTyped(value);
        if (value >= earliest) choose(value);
      }}
    />
  );
}
