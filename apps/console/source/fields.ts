import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio } from './format.ts';
import { say } from './words/index.ts';

/** Every figure that can be explained, under the name that people see. */
export type Field = RequestOf<Routes['explain']>['query']['field'];

interface FieldEntry {
  readonly title: string;
  readonly unit: FigureUnit;
  /** What it is and how it is worked out. */
  readonly about: string;
}

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: {
    title: say.metrics.spend,
    unit: 'money',
    about: say.metrics.spendAbout,
  },
  outcome_count: {
    title: say.metrics.payments,
    unit: 'count',
    about: say.metrics.paymentsAbout,
  },
  outcome_value: {
    title: say.metrics.revenue,
    unit: 'money',
    about: say.metrics.revenueAbout,
  },
  outcome_count_first_payment: {
    title: say.metrics.firstPurchases,
    unit: 'count',
    about: say.metrics.firstPurchasesAbout,
  },
  attributed_outcome_count: {
    title: say.metrics.conversions,
    unit: 'count',
    about: say.metrics.conversionsAbout,
  },
  roas: {
    title: say.metrics.roas,
    unit: 'ratio',
    about: say.metrics.roasAbout,
  },
  cac: {
    title: say.metrics.cac,
    unit: 'money',
    about: say.metrics.cacAbout,
  },
  cac_first_payment: {
    title: say.metrics.newCustomerCac,
    unit: 'money',
    about: say.metrics.newCustomerCacAbout,
  },
  platform_conversions: {
    title: say.metrics.platformConversions,
    unit: 'count',
    about: say.metrics.platformConversionsAbout,
  },
  platform_conversion_value: {
    title: say.metrics.platformValue,
    unit: 'money',
    about: say.metrics.platformValueAbout,
  },
};

/** Figures that cannot be explained yet, or that have another name where they stand for everything. */
export const definitions = {
  blendedRoas: say.metrics.blendedRoasAbout,
  blendedCpa: say.metrics.blendedCpaAbout,
  adsRoas: say.metrics.adsRoasAbout,
  ctr: say.metrics.ctrAbout,
  cpc: say.metrics.cpcAbout,
  cpm: say.metrics.cpmAbout,
  impressions: say.metrics.impressionsAbout,
  clicks: say.metrics.clicksAbout,
  window: say.metrics.windowAbout,
};

export function show(field: Field, value: number | string | null | undefined, currency: string): string {
  const { unit } = fields[field];
  return unit === 'money' ? money(value, currency) : unit === 'count' ? count(value) : ratio(value);
}
