import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { today } from '../date-range.ts';
import { words } from '../format.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { profileQuery } from '../queries.ts';
import { invalidateFigures } from '../sales/queries.ts';
import { adPlatforms } from '../vocabulary.ts';

/** Records a campaign's spend of one day, for platforms without a connection. */
export function AddSpend({ profileId }: { readonly profileId: string }) {
  const { data: profile } = useQuery(profileQuery(profileId));
  const queryClient = useQueryClient();
  const currency = profile?.reporting_currency ?? 'USD';
  const add = useMutation({
    mutationFn: async (form: FormData) => {
      const text = (name: string) => String(form.get(name)).trim();
      const row = {
        platform: text('platform'),
        level: 'campaign' as const,
        external_id: text('id'),
        name: text('name'),
        date: text('day'),
        currency,
        spend: text('amount'),
      };
      const { data } = await clientFor(profileId).importSpend({ body: { rows: [row] } });
      const [result] = data.results;
      if (result?.status === 'rejected') throw new Error(`${result.field}: ${result.message}`);
    },
    onSuccess: () => invalidateFigures(queryClient),
  });
  return (
    <section aria-labelledby="add-spend" className="card grid max-w-3xl gap-3 p-5">
      <h2 id="add-spend">{t.spend.title}</h2>
      <p className="text-soft">{t.spend.about}</p>
      <form
        className="grid items-start gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(new FormData(event.currentTarget));
        }}
      >
        <Labelled title={t.table.platform}>
          {(id) => (
            <select id={id} name="platform" className="field">
              {adPlatforms.map((name) => (
                <option key={name} value={name}>
                  {words(name)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled title={t.spend.name}>
          {(id) => <input id={id} name="name" className="field" required maxLength={400} autoComplete="off" />}
        </Labelled>
        <Labelled title={t.spend.id} about={t.spend.idAbout}>
          {(id) => (
            <input id={id} name="id" className="field" required maxLength={200} pattern="\S+" autoComplete="off" />
          )}
        </Labelled>
        <Labelled title={t.common.day}>
          {(id) => (
            <input id={id} name="day" type="date" className="field" required max={today()} defaultValue={today()} />
          )}
        </Labelled>
        <Labelled title={t.spend.amount(currency)}>
          {(id) => (
            <input id={id} name="amount" inputMode="decimal" className="field number" required autoComplete="off" />
          )}
        </Labelled>
        <button type="submit" className="button-main justify-self-start sm:self-end" disabled={add.isPending}>
          {t.spend.save}
        </button>
      </form>
      <Failed error={add.error} />
      {add.isSuccess && <p role="status">{t.spend.saved}</p>}
    </section>
  );
}
