import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio } from './format.ts';

/** Every figure that can be explained, under the name that people see. */
export type Field = RequestOf<Routes['explain']>['query']['field'];

interface Definition {
  readonly en: string;
  readonly es: string;
}

interface FieldEntry {
  readonly title: string;
  readonly unit: FigureUnit;
  /** What it is and how it is worked out. */
  readonly about: Definition;
}

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: {
    title: 'Spend',
    unit: 'money',
    about: {
      en: 'What the platforms charged for the ads, converted at the rate of each day.',
      es: 'Lo que las plataformas cobraron por los anuncios, convertido al tipo de cambio de cada día.',
    },
  },
  outcome_count: {
    title: 'Payments',
    unit: 'count',
    about: { en: 'Payments that were received.', es: 'Pagos recibidos.' },
  },
  outcome_value: {
    title: 'Revenue',
    unit: 'money',
    about: {
      en: 'Payments received, refunds subtracted. Of a row: the part that it earned under the model.',
      es: 'Pagos recibidos menos reembolsos. De una fila: la parte que ganó según el modelo.',
    },
  },
  outcome_count_first_payment: {
    title: 'First purchases',
    unit: 'count',
    about: { en: 'The first payment of each customer.', es: 'El primer pago de cada cliente.' },
  },
  attributed_outcome_count: {
    title: 'Conversions',
    unit: 'count',
    about: {
      en: 'Outcomes of every kind that a goal counts, also those without money.',
      es: 'Resultados de todo tipo que un objetivo cuenta, también los que no tienen dinero.',
    },
  },
  roas: {
    title: 'ROAS',
    unit: 'ratio',
    about: {
      en: 'Return on ad spend: revenue / spend.',
      es: 'Retorno de la inversión publicitaria: ingresos / gasto.',
    },
  },
  cac: {
    title: 'Cost per payment',
    unit: 'money',
    about: { en: 'Spend / payments.', es: 'Gasto / pagos.' },
  },
  cac_first_payment: {
    title: 'New-customer CAC',
    unit: 'money',
    about: {
      en: 'Spend / first purchases: what a new customer costs.',
      es: 'Gasto / primeras compras: lo que cuesta un cliente nuevo.',
    },
  },
  platform_conversions: {
    title: 'Platform’s conversions',
    unit: 'count',
    about: {
      en: 'Conversions that the platform claims for itself, by its own rules.',
      es: 'Conversiones que la plataforma se atribuye, según sus propias reglas.',
    },
  },
  platform_conversion_value: {
    title: 'Platform’s value',
    unit: 'money',
    about: {
      en: 'What the platform says its conversions are worth.',
      es: 'Lo que la plataforma dice que valen sus conversiones.',
    },
  },
};

/** Figures that cannot be explained yet, or that have another name where they stand for everything. */
export const definitions = {
  blendedRoas: {
    en: 'All revenue / ad spend, whoever earned it. Also called MER.',
    es: 'Todos los ingresos / gasto publicitario, los haya ganado quien los haya ganado. También llamado MER.',
  },
  blendedCpa: {
    en: 'Cost per payment: ad spend / all payments.',
    es: 'Coste por pago: gasto publicitario / todos los pagos.',
  },
  adsRoas: {
    en: 'What campaigns earned under the model / what they cost.',
    es: 'Lo que ganaron las campañas según el modelo / lo que costaron.',
  },
  ctr: { en: 'Clicks in a hundred impressions.', es: 'Clics por cada cien impresiones.' },
  cpc: { en: 'Spend / clicks.', es: 'Gasto / clics.' },
  cpm: { en: 'Spend for a thousand impressions.', es: 'Gasto por mil impresiones.' },
  impressions: { en: 'How often the platform showed the ad.', es: 'Cuántas veces la plataforma mostró el anuncio.' },
  clicks: { en: 'Clicks on the ad, as the platform counts them.', es: 'Clics en el anuncio, según la plataforma.' },
  window: {
    en: 'How many days before a conversion a touch may lie and still earn a part of it. Each goal has its own.',
    es: 'Cuántos días antes de una conversión puede estar un contacto y aún ganar una parte. Cada objetivo tiene la suya.',
  },
} as const satisfies Record<string, Definition>;

/** In the browser's language, where it is one of ours. */
export const told = ({ en, es }: Definition): string =>
  typeof navigator !== 'undefined' && /^es\b/i.test(navigator.language) ? es : en;

export function show(field: Field, value: number | string | null | undefined, currency: string): string {
  const { unit } = fields[field];
  return unit === 'money' ? money(value, currency) : unit === 'count' ? count(value) : ratio(value);
}
