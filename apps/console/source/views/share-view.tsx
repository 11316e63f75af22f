import { useMutation, useQueryClient } from '@tanstack/react-query';
import { defaultStringifySearch, Link, useLocation } from '@tanstack/react-router';
import { useId } from 'react';
import { clientFor } from '../client.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { Failed } from '../parts/page.tsx';
import { useReportScope } from '../report-scope.ts';
import { mailedPages, rolesThatShare, sharedPages } from '../vocabulary.ts';
import { sharedViewsQuery } from '../workspace/queries.ts';

const lives = { '7': t.shared.days7, '30': t.shared.days30, '90': t.shared.days90, '365': t.shared.year };
const dayMs = 86_400_000;
const longestWindowMs = 30 * dayMs;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Creates a link to the current report, for readers without an account. */
export function ShareView() {
  const { scope, linkSearch } = useReportScope();
  const { profileId, from, to } = scope;
  const { pathname, search } = useLocation();
  const { role, isHealthcare } = useMembership();
  const queryClient = useQueryClient();
  const [field, life] = [useId(), useId()];
  const page = sharedPages.find((name) => pathname === `/p/${profileId}/${name}`);
  const mailed = mailedPages.find((name) => name === page);
  const create = useMutation({
    mutationFn: async (form: FormData) => {
      const { explain: _, from: _from, to: _to, compared: _compared, ...others } = search as Record<string, unknown>;
      const expires = Date.now() + Number(form.get('life')) * dayMs;
      // Top ads always show the latest days, so the link covers every window until it expires.
      const days =
        page === 'top-ads'
          ? { date_from: dayOf(Date.now() - longestWindowMs), date_to: dayOf(expires) }
          : { date_from: from, date_to: to };
      const { data } = await clientFor(profileId).createSharedView({
        body: {
          name: String(form.get('name')).trim(),
          page: page ?? 'overview',
          search: defaultStringifySearch(others).slice(1),
          ...days,
          expires_at: new Date(expires).toISOString(),
        },
      });
      return data;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sharedViewsQuery(profileId).queryKey }),
  });
  if (!page || isHealthcare || role === undefined || !rolesThatShare.includes(role)) return null;
  return (
    // The key resets the form when the report changes, because a created link belongs to the previous one.
    <details key={pathname} className="relative">
      <summary className="button cursor-pointer list-none whitespace-nowrap">{t.shared.share}</summary>
      <form
        className="card absolute right-0 z-10 mt-1 grid w-72 gap-2 p-3 shadow-xl max-sm:right-auto max-sm:left-0"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(new FormData(event.currentTarget));
        }}
      >
        <p className="label">{t.shared.about}</p>
        <label htmlFor={field} className="label">
          {t.shared.name}
        </label>
        <input id={field} name="name" className="field" maxLength={60} autoComplete="off" required />
        <label htmlFor={life} className="label">
          {t.shared.life}
        </label>
        <select id={life} name="life" className="field" defaultValue="30">
          {Object.entries(lives).map(([days, title]) => (
            <option key={days} value={days}>
              {title}
            </option>
          ))}
        </select>
        <button type="submit" className="button-main" disabled={create.isPending}>
          {t.shared.make}
        </button>
        <Failed error={create.error} />
        {mailed && (
          <Link
            to="/p/$profileId/report-mails"
            params={{ profileId }}
            search={{ ...linkSearch, report: mailed }}
            className="border-line border-t pt-2"
          >
            {t.reportMails.share}
          </Link>
        )}
        {create.data?.url && (
          <div role="status" className="grid gap-2">
            <code className="break-all text-small">{create.data.url}</code>
            <Copy text={create.data.url} about={t.shared.theLink} />
            <span className="label">{t.shared.once}</span>
          </div>
        )}
      </form>
    </details>
  );
}
