import { useId } from 'react';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';

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
    { kind: 'none', title: t.sales.keep, next: { kind: 'none' } },
    { kind: 'from', title: t.sales.fromDay, next: { kind: 'from', day: today } },
    { kind: 'whole', title: t.sales.whole, next: { kind: 'whole' } },
  ] as const;
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">{t.sales.exclusion}</legend>
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
        <Labelled title={t.sales.firstDay}>
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
      <p className="text-small text-soft">{t.sales.exclusionAbout}</p>
    </fieldset>
  );
}
