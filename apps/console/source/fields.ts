import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio } from './format.ts';

/** Every figure that can be explained, under the name that people see. */
export type Field = RequestOf<Routes['explain']>['query']['field'];

interface FieldEntry {
  readonly title: string;
  readonly unit: FigureUnit;
}

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: { title: 'Spend', unit: 'money' },
  outcome_count: { title: 'Payments', unit: 'count' },
  outcome_value: { title: 'Revenue', unit: 'money' },
  outcome_count_first_payment: { title: 'First purchases', unit: 'count' },
  attributed_outcome_count: { title: 'Conversions', unit: 'count' },
  roas: { title: 'ROAS', unit: 'ratio' },
  cac: { title: 'Cost per payment', unit: 'money' },
  cac_first_payment: { title: 'Cost per first purchase', unit: 'money' },
  platform_conversions: { title: 'Platform’s conversions', unit: 'count' },
  platform_conversion_value: { title: 'Platform’s value', unit: 'money' },
};

export function show(field: Field, value: number | string | null | undefined, currency: string): string {
  const { unit } = fields[field];
  return unit === 'money' ? money(value, currency) : unit === 'count' ? count(value) : ratio(value);
}
