import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';

interface BankProps {
  readonly profileId: string;
}

type Country = keyof typeof t.connect.countries;
type Holder = keyof typeof t.connect.holders;

/** The session storage key that the widget's page reads; the exchange token is stored under it too. */
const storageKey = 'bank link';

interface StoredLink {
  readonly back: string;
  readonly publicKey: string;
  readonly widgetToken: string;
  readonly exchangeToken?: string;
}

const pathOf = (profileId: string): string => `/p/${profileId}/connections`;

/** Opens the widget in this tab; `BankReturned` connects the accounts that were selected in it. */
export function ConnectBank({ profileId }: BankProps) {
  const start = useMutation({
    mutationFn: async (form: FormData) => {
      const body = { country: form.get('country') as Country, holder_type: form.get('holder') as Holder };
      return (await clientFor(profileId).startBankLink({ body })).data;
    },
    onSuccess: ({ public_key: publicKey, widget_token: widgetToken }) => {
      const stored: StoredLink = { back: pathOf(profileId), publicKey, widgetToken: widgetToken ?? '' };
      sessionStorage.setItem(storageKey, JSON.stringify(stored));
      window.location.assign('/connect/bank-link');
    },
  });
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(new FormData(event.currentTarget));
      }}
    >
      <p>{t.connect.bankAbout}</p>
      <Options name="country" title={t.connect.country} titles={t.connect.countries} />
      <Options name="holder" title={t.connect.holder} titles={t.connect.holders} />
      <Failed error={start.error} />
      <div>
        <button type="submit" className="button-main" disabled={start.isPending || start.isSuccess}>
          {t.connect.here}
        </button>
      </div>
    </form>
  );
}

interface OptionsProps {
  readonly name: string;
  readonly title: string;
  readonly titles: Readonly<Record<string, string>>;
}

function Options({ name, title, titles }: OptionsProps) {
  return (
    <Labelled title={title}>
      {(id) => (
        <select id={id} name={name} className="field w-full">
          {Object.entries(titles).map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function storedToken(profileId: string): string | undefined {
  const { back, exchangeToken } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<StoredLink>;
  return back === pathOf(profileId) ? exchangeToken : undefined;
}

/** Connects the bank accounts after the widget has ended in this tab. */
export function BankLinkResult({ profileId }: BankProps) {
  const queryClient = useQueryClient();
  const [token, setToken] = useState(() => storedToken(profileId));
  const { mutate, ...connect } = useMutation({
    mutationFn: (exchangeToken: string) =>
      clientFor(profileId).connectBankLink({ body: { exchange_token: exchangeToken } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [profileId, 'connections'] }),
  });
  useEffect(() => {
    if (!token) return;
    // An exchange token can be used only once.
    sessionStorage.removeItem(storageKey);
    mutate(token);
  }, [token, mutate]);
  if (!token) return null;
  return (
    <section
      className="card flex flex-wrap items-start justify-between gap-3 border-accent p-5"
      aria-label={t.connect.result}
    >
      <div>
        {connect.isPending && <p className="label">{t.connect.connecting}</p>}
        {connect.isSuccess && <p role="status">{t.connect.connected}</p>}
        <Failed error={connect.error} />
      </div>
      <button type="button" className="button" onClick={() => setToken(undefined)}>
        {t.common.close}
      </button>
    </section>
  );
}
