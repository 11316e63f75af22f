import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { links } from '@tributary/contract/links.ts';
import { accountClient } from '../client.ts';
import { localMoment } from '../format.ts';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { Section } from '../parts/single-field-form.tsx';
import { QueryResult } from '../parts/states.tsx';
import { type Account, assistantsQuery } from '../queries.ts';

/** The AI assistants that the member authorized to read reports, and how to connect another one. */
export function Assistants({ account }: { readonly account: Account }) {
  const queryClient = useQueryClient();
  const assistants = useQuery(assistantsQuery);
  const revoke = useMutation({
    mutationFn: (id: string) => accountClient.deleteAssistant({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries(assistantsQuery),
  });
  const profiles = account.memberships.flatMap(({ profiles }) => profiles);
  const address = links.assistants(window.location.origin);
  return (
    <Section title={t.account.assistants}>
      <p>{t.account.assistantsAbout}</p>
      <p className="flex flex-wrap items-center gap-3">
        <code className="break-all">{address}</code>
        <Copy text={address} about={t.account.assistantAddress} />
      </p>
      <QueryResult query={assistants}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="label">{t.account.noAssistants}</p>
          ) : (
            <ul aria-label={t.account.assistants} className="grid gap-3">
              {rows.map(({ id, name, profile_id: profileId, scopes, allowed_at: allowedAt }) => (
                <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                  <span className="min-w-0 break-words">
                    {name ?? t.account.anAssistant}
                    <span className="label block">
                      {profiles.find((profile) => profile.id === profileId)?.name ?? profileId} ·{' '}
                      {scopes.includes('mcp:write') ? t.account.readsAndCreates : t.account.reads}
                    </span>
                    <span className="label block">{t.account.since(localMoment(allowedAt))}</span>
                  </span>
                  <ConfirmButton
                    label={t.keys.revokeOf(name ?? t.account.anAssistant)}
                    question={t.account.revokeAsk(name ?? t.account.anAssistant)}
                    disabled={revoke.isPending}
                    onConfirm={() => revoke.mutate(id)}
                  >
                    {t.keys.revoke}
                  </ConfirmButton>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
      <Failed error={revoke.error} />
    </Section>
  );
}
