import { useEffect, useState } from 'react';
import { type DateRange, earliest, lastDays, presets, today, withEnd } from '../date-range.ts';
import { useChangeSearch, usePlace } from '../place.ts';

/** The days of the report. They stand in the address, so a report that was sent to somebody shows the same. */
export function RangePicker() {
  const { place } = usePlace();
  const { from, to } = place;
  const choose: (range: DateRange) => void = useChangeSearch();
  const now = today();
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className="sr-only">Days of the report</legend>
      {presets.map((days) => {
        const range = lastDays(days, now);
        const isChosen = range.from === from && range.to === to;
        return (
          <button
            key={days}
            type="button"
            aria-pressed={isChosen}
            className={`rounded px-2 py-1 ${isChosen ? 'bg-accent-soft font-semibold' : 'text-soft hover:text-ink'}`}
            onClick={() => choose(range)}
          >
            {days} days
          </button>
        );
      })}
      <DayField label="First day" day={from} choose={(day) => choose(withEnd({ from, to }, 'from', day))} />
      <DayField label="Last day" day={to} choose={(day) => choose(withEnd({ from, to }, 'to', day))} />
    </fieldset>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly day: string;
  readonly choose: (day: string) => void;
}

/** Whoever types a year passes the years 2, 20 and 202 on the way; only a day that can be meant is asked for. */
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
