import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { clientFor } from '../client.ts';
import { dayIn } from '../format.ts';
import { t } from '../messages/index.ts';
import { Failed } from '../parts/page.tsx';
import { type Exclusion, ExclusionField, toExcludedFrom } from './exclusion-field.tsx';
import { invalidateFigures, type SaleSource } from './queries.ts';

interface ExclusionFormProps {
  readonly profileId: string;
  readonly source: SaleSource;
  readonly timeZone: string;
}

/** Excludes payments of a source from reports, from a date on or entirely, and includes them again. */
export function ExclusionForm({ profileId, source, timeZone }: ExclusionFormProps) {
  const stored = toExclusion(source.excluded_from, timeZone);
  const [value, setValue] = useState(stored);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: () =>
      clientFor(profileId).updateSaleSource({
        params: { source: source.source },
        body: { excluded_from: toExcludedFrom(value) },
      }),
    onSuccess: () => invalidateFigures(queryClient),
  });
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <ExclusionField value={value} today={dayIn(new Date().toISOString(), timeZone)} onChange={setValue} />
      <button
        type="submit"
        className="button justify-self-start"
        disabled={save.isPending || JSON.stringify(value) === JSON.stringify(stored)}
      >
        {t.sales.saveExclusion}
      </button>
      <Failed error={save.error} />
    </form>
  );
}

export function toExclusion(from: SaleSource['excluded_from'], timeZone: string): Exclusion {
  if (from === null) return { kind: 'none' };
  return from === 'beginning' ? { kind: 'whole' } : { kind: 'from', day: dayIn(from, timeZone) };
}
