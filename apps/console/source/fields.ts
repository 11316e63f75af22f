import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio } from './format.ts';

/** Every figure that can be explained, under the name that people see. */
export type Field = RequestOf<Routes['explain']>['query']['field'];

interface FieldEntry {
  readonly title: string;
  readonly unit: FigureUnit;
  /** What it is and how it is worked out. */
  readonly about: string;
}

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: { title: 'Spend', unit: 'money', about: 'What the platforms charged for the ads.' },
  outcome_count: { title: 'Payments', unit: 'count', about: 'Payments that were received.' },
  outcome_value: { title: 'Revenue', unit: 'money', about: 'Payments received, refunds subtracted.' },
  outcome_count_first_payment: {
    title: 'First purchases',
    unit: 'count',
    about: 'The first payment of each customer.',
  },
  attributed_outcome_count: { title: 'Conversions', unit: 'count', about: 'Of every kind, also those without money.' },
  roas: { title: 'ROAS', unit: 'ratio', about: 'Return on ad spend: revenue / spend.' },
  cac: { title: 'Cost per payment', unit: 'money', about: 'Spend / payments.' },
  cac_first_payment: {
    title: 'New-customer CAC',
    unit: 'money',
    about: 'Spend / first purchases: what a new customer costs.',
  },
  platform_conversions: {
    title: 'Platform’s conversions',
    unit: 'count',
    about: 'What the platform claims for itself.',
  },
  platform_conversion_value: {
    title: 'Platform’s value',
    unit: 'money',
    about: 'What the platform says its conversions are worth.',
  },
};

export function show(field: Field, value: number | string | null | undefined, currency: string): string {
  const { unit } = fields[field];
  return unit === 'money' ? money(value, currency) : unit === 'count' ? count(value) : ratio(value);
}
