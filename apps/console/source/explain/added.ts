import { type Field, fields } from '../fields.ts';
import { count, exactMoney } from '../format.ts';

/** What a row adds to a figure, before anything is rounded. */
export const added = (field: Field, amount: string, currency: string): string =>
  fields[field].unit === 'money' ? exactMoney(amount, currency) : count(amount);
