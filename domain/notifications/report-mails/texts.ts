import type { AttributionModel, Language, MailedPage, MailRhythm } from '@tributary/vocabulary';

/** The texts of a mail in each language. Metric names equal those of the console. */
export interface Words {
  readonly locale: string;
  readonly pages: Readonly<Record<MailedPage, string>>;
  readonly every: Readonly<Record<MailRhythm, string>>;
  readonly models: Readonly<Record<AttributionModel, string>>;
  readonly revenue: string;
  readonly spend: string;
  readonly blendedRoas: string;
  readonly roas: string;
  readonly payments: string;
  readonly blendedCpa: string;
  readonly figure: string;
  readonly value: string;
  readonly before: string;
  readonly change: string;
  readonly campaigns: (model: string) => string;
  readonly campaign: string;
  readonly noCampaigns: string;
  readonly more: string;
  readonly settling: string;
  readonly open: string;
  readonly why: (every: string, profile: string) => string;
  readonly stop: string;
  readonly days: (from: string, to: string) => string;
}

const en: Words = {
  locale: 'en',
  pages: { overview: 'Overview', campaigns: 'Campaigns' },
  every: { day: 'every day', week: 'every Monday', month: 'on the first of every month' },
  models: {
    last_touch: 'Last touch',
    first_touch: 'First touch',
    last_non_direct: 'Last non direct',
    linear: 'Linear',
    time_decay: 'Time decay',
    position_based: 'Position based',
  },
  revenue: 'Revenue',
  spend: 'Spend',
  blendedRoas: 'Blended ROAS',
  roas: 'ROAS',
  payments: 'Payments',
  blendedCpa: 'Blended CPA',
  figure: 'Figure',
  value: 'Value',
  before: 'Before',
  change: 'Change',
  campaigns: (model) => `Campaigns that earned most (${model})`,
  campaign: 'Campaign',
  noCampaigns: 'No campaign cost or earned anything on these days.',
  more: 'There are more in the console.',
  settling: 'Some of what happened on these days is still being worked out: the console has the latest.',
  open: 'Open in the console',
  why: (every, profile) =>
    `You get this ${every} because somebody in your team chose you for the reports of ${profile}.`,
  stop: 'Get it no longer',
  days: (from, to) => (from === to ? from : `${from} to ${to}`),
};

const es: Words = {
  locale: 'es',
  pages: { overview: 'Resumen', campaigns: 'Campañas' },
  every: { day: 'cada día', week: 'cada lunes', month: 'el primer día de cada mes' },
  models: {
    last_touch: 'Último contacto',
    first_touch: 'Primer contacto',
    last_non_direct: 'Último no directo',
    linear: 'Lineal',
    time_decay: 'Declive en el tiempo',
    position_based: 'Según la posición',
  },
  revenue: 'Ingresos',
  spend: 'Gasto',
  blendedRoas: 'ROAS combinado',
  roas: 'ROAS',
  payments: 'Pagos',
  blendedCpa: 'CPA combinado',
  figure: 'Cifra',
  value: 'Valor',
  before: 'Antes',
  change: 'Cambio',
  campaigns: (model) => `Campañas que más ganaron (${model})`,
  campaign: 'Campaña',
  noCampaigns: 'Ninguna campaña costó ni ganó nada en estos días.',
  more: 'Hay más en la consola.',
  settling: 'Parte de lo ocurrido en estos días todavía se está calculando: lo último está en la consola.',
  open: 'Abrir en la consola',
  why: (every, profile) =>
    `Recibes esto ${every} porque alguien de tu equipo te eligió para los informes de ${profile}.`,
  stop: 'No recibirlo más',
  days: (from, to) => (from === to ? from : `del ${from} al ${to}`),
};

export const words: Readonly<Record<Language, Words>> = { en, es };
