import type { AnswerOf, Routes } from '@tributary/contract';
import { html } from '@tributary/pages';
import type { AttributionModel, Language, MailedPage, MailRhythm } from '@tributary/vocabulary';
import type { Days } from './store.ts';
import { type Words, words } from './texts.ts';

/** The content of a mail: responses of the API's own reports for the period and the one before. Contains no personal data. */
export interface Report {
  readonly overview: AnswerOf<Routes['readOverview']>['body'];
  readonly before: AnswerOf<Routes['readOverview']>['body'];
  readonly campaigns: AnswerOf<Routes['listCampaigns']>['body'];
}

export interface About {
  readonly page: MailedPage;
  readonly model: AttributionModel;
  readonly every: MailRhythm;
  readonly language: Language;
  readonly days: Days;
  readonly profileName: string;
  readonly viewUrl: string;
  readonly stopUrl: string;
}

export function composeMail(report: Report, about: About) {
  const t = words[about.language];
  const day = new Intl.DateTimeFormat(t.locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const days = t.days(day.format(new Date(about.days.from)), day.format(new Date(about.days.to)));
  const figures = figuresOf(report, t);
  const campaigns = campaignsOf(report, t);
  const title = `${about.profileName}: ${t.pages[about.page]}`;
  const { meta, data } = { meta: report.overview.meta, data: report.campaigns };
  const isSettled = meta.freshness.attribution.state === 'current' && meta.freshness.delivery.state === 'current';
  const notes = [...(data.pagination.has_next ? [t.more] : []), ...(isSettled ? [] : [t.settling])];
  const heading = t.campaigns(t.models[about.model]);
  const why = t.why(t.every[about.every], about.profileName);
  return {
    subject: `${title}, ${days}`,
    text: [
      `${title}\n${days}`,
      figures.rows.map(([name, now, was, change]) => `${name}: ${now} (${t.before}: ${was}, ${change})`).join('\n'),
      `${heading}\n${
        campaigns.rows.length === 0
          ? t.noCampaigns
          : campaigns.rows
              .map(
                ([name, ...cells]) =>
                  `${name}: ${cells.map((cell, at) => `${campaigns.head[at + 1]} ${cell}`).join(', ')}`,
              )
              .join('\n')
      }`,
      ...notes,
      `${t.open}: ${about.viewUrl}`,
      `${why}\n${t.stop}: ${about.stopUrl}`,
    ].join('\n\n'),
    html: html`<!doctype html><html lang="${about.language}"><body style="font-family:system-ui,sans-serif;color:#1c1b19;max-width:640px">
<h1 style="font-size:20px;margin:0">${title}</h1><p style="margin:4px 0 16px;color:#5f5c57">${days}</p>
${table(figures)}
<h2 style="font-size:16px;margin:24px 0 8px">${heading}</h2>
${campaigns.rows.length === 0 ? html`<p>${t.noCampaigns}</p>` : table(campaigns)}
${notes.map((note) => html`<p style="color:#5f5c57">${note}</p>`)}
<p style="margin:24px 0"><a href="${about.viewUrl}">${t.open}</a></p>
<p style="font-size:12px;color:#5f5c57">${why} <a href="${about.stopUrl}">${t.stop}</a></p>
</body></html>`.text,
  };
}

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const cell = 'padding:4px 12px 4px 0;border-bottom:1px solid #e4e1dc;text-align:';
const sideOf = (column: number) => (column === 0 ? 'left' : 'right');

const table = ({ head, rows }: Table) => html`<table style="border-collapse:collapse;width:100%;font-size:14px">
<tr>${head.map((title, at) => html`<th scope="col" style="${cell}${sideOf(at)};font-weight:600">${title}</th>`)}</tr>
${rows.map((row) => html`<tr>${row.map((text, at) => html`<td style="${cell}${sideOf(at)}">${text}</td>`)}</tr>`)}
</table>`;

const noValue = '–';
type Figure = number | null;

function formatters({ locale }: Words, currency: string) {
  const as = (options: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(locale, options);
    return (value: Figure) => (value === null ? noValue : format.format(value));
  };
  return {
    money: as({ style: 'currency', currency }),
    count: as({ maximumFractionDigits: 2 }),
    ratio: as({ minimumFractionDigits: 2, maximumFractionDigits: 2 }),
    change: as({ style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }),
  };
}

function figuresOf({ overview, before }: Report, t: Words): Table {
  const { money, count, ratio, change } = formatters(t, overview.meta.currency);
  const [now, was] = [overview.data.totals, before.data.totals];
  const line = (name: string, show: (value: Figure) => string, of: (totals: typeof now) => Figure) => {
    const [value, earlier] = [of(now), of(was)];
    const share = value === null || earlier === null || earlier === 0 ? null : (value - earlier) / Math.abs(earlier);
    return [name, show(value), show(earlier), change(share)];
  };
  return {
    head: [t.figure, t.value, t.before, t.change],
    rows: [
      line(t.revenue, money, (totals) => totals.outcome_value),
      line(t.spend, money, (totals) => totals.spend),
      line(t.blendedRoas, ratio, (totals) => totals.roas),
      line(t.payments, count, (totals) => totals.outcome_count),
      line(t.blendedCpa, money, (totals) => totals.cac),
    ],
  };
}

function campaignsOf({ campaigns: { data, meta } }: Report, t: Words): Table {
  const { money, ratio, count } = formatters(t, meta.currency);
  return {
    head: [t.campaign, t.spend, t.revenue, t.roas, t.payments],
    rows: data.map((row) => [
      row.campaign_name,
      money(row.spend),
      money(row.outcome_value),
      ratio(row.roas),
      count(row.outcome_count),
    ]),
  };
}
