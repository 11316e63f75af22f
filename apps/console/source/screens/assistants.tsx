import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { links } from '@tributary/contract/links.ts';
import { accountClient } from '../client.ts';
import { localMoment } from '../format.ts';
import { Section } from '../parts/single-field-form.tsx';
import { Copy } from '../parts/copy.tsx';
import { ConfirmButton } from '../parts/dialog.tsx';
import { Failed } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { type Account, assistantsQuery } from '../queries.ts';
import { say } from '../messages/index.ts';

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
    <Section title={say.account.assistants}>
      <p>{say.account.assistantsAbout}</p>
      <p className="flex flex-wrap items-center gap-3">
        <code className="break-all">{address}</code>
        <Copy text={address} about={say.account.assistantAddress} />
      </p>
      <QueryResult query={assistants}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="label">{say.account.noAssistants}</p>
          ) : (
            <ul aria-label={say.account.assistants} className="grid gap-3">
              {rows.map(({ id, name, profile_id: profileId, scopes, allowed_at: allowedAt }) => (
                <li key={id} className="flex flex-wrap items-center justify-between gap-3 border-line border-t pt-3">
                  <span className="min-w-0 break-words">
                    {name ?? say.account.anAssistant}
                    <span className="label block">
                      {profiles.find((profile) => profile.id === profileId)?.name ?? profileId} ·{' '}
                      {scopes.includes('mcp:write') ? say.account.readsAndCreates : say.account.reads}
                    </span>
                    <span className="label block">{say.account.since(localMoment(allowedAt))}</span>
                  </span>
                  <ConfirmButton
                    label={say.keys.revokeOf(name ?? say.account.anAssistant)}
                    question={say.account.revokeAsk(name ?? say.account.anAssistant)}
                    disabled={revoke.isPending}
                    onConfirm={() => revoke.mutate(id)}
                  >
                    {say.keys.revoke}
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
