import { useId } from 'react';
import { Labelled } from '../parts/labelled.tsx';
import { say } from '../messages/index.ts';

/** Which payments of a source are excluded from reports: none, those from a date on, or all. */
export type Exclusion =
  | { readonly kind: 'none' }
  | { readonly kind: 'from'; readonly day: string }
  | { readonly kind: 'whole' };

/** The API's representation. */
export const toExcludedFrom = (exclusion: Exclusion): string | null =>
  exclusion.kind === 'none' ? null : exclusion.kind === 'whole' ? 'beginning' : exclusion.day;

interface ExclusionFieldProps {
  readonly value: Exclusion;
  /** The suggested date. */
  readonly today: string;
  readonly onChange: (value: Exclusion) => void;
}

export function ExclusionField({ value, today, onChange }: ExclusionFieldProps) {
  const name = useId();
  const options = [
    { kind: 'none', title: say.sales.keep, next: { kind: 'none' } },
    { kind: 'from', title: say.sales.fromDay, next: { kind: 'from', day: today } },
    { kind: 'whole', title: say.sales.whole, next: { kind: 'whole' } },
  ] as const;
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">{say.sales.exclusion}</legend>
      {options.map(({ kind, title, next }) => (
        <label key={kind} className="flex items-start gap-2">
          <input
            type="radio"
            name={name}
            className="mt-1"
            checked={value.kind === kind}
            onChange={() => onChange(next)}
          />
          {title}
        </label>
      ))}
      {value.kind === 'from' && (
        <Labelled title={say.sales.firstDay}>
          {(id) => (
            <input
              id={id}
              type="date"
              className="field w-44"
              required
              value={value.day}
              onChange={({ target }) => onChange({ kind: 'from', day: target.value })}
            />
          )}
        </Labelled>
      )}
      <p className="text-small text-soft">{say.sales.exclusionAbout}</p>
    </fieldset>
  );
}
