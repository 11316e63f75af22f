import { t } from '../messages/index.ts';
import { locale } from '../messages/language.ts';
import { Labelled } from '../parts/labelled.tsx';

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Keeps a stored value selectable that this browser does not list. */
const among = (listed: readonly string[], value: string): readonly string[] =>
  listed.includes(value) ? listed : [value, ...listed];

const currencyNames = new Intl.DisplayNames(locale, { type: 'currency' });

export function CurrencyField({ value, onChange }: FieldProps) {
  return (
    <Labelled title={t.settings.currency}>
      {(id) => (
        <select id={id} className="field w-full" value={value} onChange={({ target }) => onChange(target.value)}>
          {among(Intl.supportedValuesOf('currency'), value).map((code) => (
            <option key={code} value={code}>
              {code} – {currencyNames.of(code)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function TimeZoneField({ value, onChange }: FieldProps) {
  return (
    <Labelled title={t.settings.timeZone} about={t.settings.timeZoneAbout}>
      {(id) => (
        <select id={id} className="field w-full" value={value} onChange={({ target }) => onChange(target.value)}>
          {among(Intl.supportedValuesOf('timeZone'), value).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
