import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import type { SaleSource } from './queries.ts';

const own: Readonly<Record<string, string>> = {
  api: t.sales.server,
  import: t.sales.file,
  browser: t.sales.browser,
};

/** Formats `payments_a:0d1f…` or `api` in words; adds the account if a provider has several. */
export function sourceTitle(key: string, sources: readonly SaleSource[]): string {
  const [name = ''] = key.split(':', 1);
  const title = own[name] ?? words(name);
  const account = sources.find(({ source }) => source === key)?.account_name;
  const isAlone = sources.filter(({ provider }) => provider === name).length < 2;
  return account && !isAlone ? `${title} (${account})` : title;
}

/** The same title, capitalized. */
export function sourceLabel(key: string, sources: readonly SaleSource[]): string {
  const title = sourceTitle(key, sources);
  return title.charAt(0).toLocaleUpperCase() + title.slice(1);
}
