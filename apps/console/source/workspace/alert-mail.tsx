import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { t } from '../messages/index.ts';
import { languageTitles } from '../messages/language.ts';
import { Labelled } from '../parts/labelled.tsx';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';
import { languages } from '../vocabulary.ts';
import { type AlertMail, alertMailQuery } from './queries.ts';

/** Whether the member receives alerts of the profile by e-mail, and in which language. */
export function AlertMailForm() {
  const { profileId } = useReportScope().scope;
  const { data: mail } = useQuery(alertMailQuery(profileId));
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (body: AlertMail) => clientFor(profileId).updateAlertMail({ body }),
    onSuccess: () => queryClient.invalidateQueries(alertMailQuery(profileId)),
  });
  if (!mail) return null;
  return (
    <section aria-labelledby="alert-mail" className="card grid max-w-xl gap-3 p-5">
      <h2 id="alert-mail">{t.alerts.byMail}</h2>
      <label className="flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          checked={mail.is_wanted}
          disabled={save.isPending}
          onChange={({ target }) => save.mutate({ ...mail, is_wanted: target.checked })}
        />
        {t.alerts.wanted}
      </label>
      <p className="text-small text-soft">{t.alerts.wantedAbout}</p>
      <Labelled title={t.alerts.language}>
        {(id) => (
          <select
            id={id}
            className="field justify-self-start"
            value={mail.language}
            disabled={save.isPending}
            onChange={({ target }) =>
              save.mutate({ ...mail, language: languages.find((one) => one === target.value) ?? mail.language })
            }
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {languageTitles[one]}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      <Failed error={save.error} />
    </section>
  );
}
