import { type Field, fields } from '../fields.ts';
import { count, exactMoney } from '../format.ts';

/** A row's contribution to a figure, before rounding. */
export const added = (field: Field, amount: string, currency: string): string =>
  fields[field].unit === 'money' ? exactMoney(amount, currency) : count(amount);
