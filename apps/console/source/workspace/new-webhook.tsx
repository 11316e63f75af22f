import { useMutation, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { Labelled } from '../parts/labelled.tsx';
import { OneTimeSecret } from '../parts/one-time-secret.tsx';
import { Failed } from '../parts/page.tsx';
import { webhookEvents } from '../vocabulary.ts';

/** Subscribes an endpoint to events and shows its signing secret once. */
export function NewWebhook({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const chosen = form.getAll('events');
      const events = webhookEvents.filter((name) => chosen.includes(name));
      const body = { url: String(form.get('url')).trim(), events, providers: ['service' as const] };
      return (await clientFor(profileId).createWebhookSubscription({ body })).data;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [profileId, 'webhooks'] }),
  });
  return (
    <section className="card mt-5 grid max-w-3xl gap-4 p-5" aria-labelledby="new-webhook">
      <h2 id="new-webhook">{t.webhooks.add}</h2>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          create.mutate(new FormData(form), { onSuccess: () => form.reset() });
        }}
      >
        <Labelled title={t.webhooks.url} about={t.webhooks.urlAbout}>
          {(id) => <input id={id} name="url" type="url" className="field" required autoComplete="off" />}
        </Labelled>
        <fieldset className="grid gap-2">
          <legend className="label mb-1">{t.webhooks.events}</legend>
          {webhookEvents.map((name) => (
            <label key={name} className="flex items-start gap-2">
              <input type="checkbox" name="events" value={name} className="mt-1.5" />
              <span className="min-w-0">
                <code className="break-all">{name}</code>
                <span className="label block">{t.webhooks.eventAbout[name]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <button type="submit" className="button-main justify-self-start" disabled={create.isPending}>
          {t.webhooks.create}
        </button>
      </form>
      <Failed error={create.error} />
      {create.data && (
        <OneTimeSecret secret={create.data.secret ?? ''} about={t.webhooks.theSecret} note={t.webhooks.secretOnce} />
      )}
    </section>
  );
}
