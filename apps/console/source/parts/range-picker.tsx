import { type DateRange, lastDays, presets, today, withEnd } from '../date-range.ts';
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
      <input
        aria-label="First day"
        type="date"
        className="field number"
        value={from}
        onChange={({ target }) => choose(withEnd({ from, to }, 'from', target.value))}
      />
      <input
        aria-label="Last day"
        type="date"
        className="field number"
        value={to}
        onChange={({ target }) => choose(withEnd({ from, to }, 'to', target.value))}
      />
    </fieldset>
  );
}
