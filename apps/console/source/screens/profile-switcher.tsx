import * as Radix from '@radix-ui/react-dialog';
import { useQuery } from '@tanstack/react-query';
import { useMatches, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../messages/index.ts';
import { accountQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { NewProfile, withProfileCreation } from '../workspace/new-profile.tsx';

/** Shows the profile of the page. Opens a list of all profiles with a search, and creates new ones. */
export function ProfileSwitcher() {
  const { scope } = useReportScope();
  const { data: account } = useQuery(accountQuery);
  const [isOpen, setOpen] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const membership = account?.memberships.find(({ profiles }) => profiles.some(({ id }) => id === scope.profileId));
  const name = membership?.profiles.find(({ id }) => id === scope.profileId)?.name ?? '';
  return (
    <div className="relative min-w-0">
      <Radix.Root open={isOpen} onOpenChange={setOpen} modal={false}>
        <Radix.Trigger
          className="button flex w-full max-w-56 items-center gap-2"
          aria-label={t.profiles.switchTo(name)}
        >
          <span className="truncate">{name}</span>
          <span aria-hidden="true" className="text-soft">
            ▾
          </span>
        </Radix.Trigger>
        <Radix.Content
          aria-describedby={undefined}
          // The form of a new profile takes the focus; it would close if the focus returned to the switcher.
          onCloseAutoFocus={(event) => isCreating && event.preventDefault()}
          className="z-30 grid gap-2 rounded-lg border border-line bg-paper p-3 shadow-xl max-sm:fixed max-sm:inset-x-4 max-sm:top-14 sm:absolute sm:top-full sm:right-0 sm:mt-1 sm:w-80"
        >
          <Radix.Title className="sr-only">{t.frame.profile}</Radix.Title>
          <ProfileList close={() => setOpen(false)} />
          {withProfileCreation(account).length > 0 && (
            <button
              type="button"
              className="button"
              onClick={() => {
                setOpen(false);
                setCreating(true);
              }}
            >
              + {t.profiles.add}
            </button>
          )}
        </Radix.Content>
      </Radix.Root>
      {isCreating && (
        <NewProfile
          workspaceId={membership?.workspace_id}
          profileId={scope.profileId}
          onClose={() => setCreating(false)}
        />
      )}
    </div>
  );
}

function ProfileList({ close }: { readonly close: () => void }) {
  const { scope } = useReportScope();
  const { data: account } = useQuery(accountQuery);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const switchTo = useSwitchProfile();
  const letters = text.trim().toLowerCase();
  const groups = (account?.memberships ?? [])
    .map(({ workspace_id: id, workspace_name: workspace, profiles }) => ({
      id,
      workspace,
      profiles: profiles.filter(({ name }) => `${workspace} ${name}`.toLowerCase().includes(letters)),
    }))
    .filter(({ profiles }) => profiles.length > 0);
  const found = groups.flatMap(({ profiles }) => profiles);
  const open = (profileId: string | undefined) => {
    if (!profileId) return;
    close();
    switchTo(profileId);
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the list was opened to search it
        autoFocus
        type="search"
        aria-label={t.profiles.search}
        placeholder={t.profiles.search}
        className="field w-full"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={({ key }) => {
          if (key === 'ArrowDown') setChosen((index) => Math.min(index + 1, found.length - 1));
          if (key === 'ArrowUp') setChosen((index) => Math.max(index - 1, 0));
          if (key === 'Enter') open(found[chosen]?.id);
        }}
      />
      <div className="max-h-[60vh] overflow-y-auto">
        {groups.map(({ id, workspace, profiles }) => (
          <section key={id} aria-label={workspace} className="mb-2">
            <p className="label px-2 py-1 font-semibold">{workspace}</p>
            <ul>
              {profiles.map((profile) => (
                <li key={profile.id}>
                  <button
                    type="button"
                    aria-current={profile.id === scope.profileId}
                    className={`flex w-full items-center justify-between gap-3 rounded px-2 py-1.5 text-left hover:bg-tint ${profile === found[chosen] ? 'bg-accent-soft' : ''}`}
                    onClick={() => open(profile.id)}
                  >
                    <span className="min-w-0 break-words">{profile.name}</span>
                    {profile.id === scope.profileId && <span className="label">{t.profiles.current}</span>}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {found.length === 0 && <p className="label px-2 py-1.5">{t.profiles.noMatch}</p>}
      </div>
    </>
  );
}

/** Opens the same page of another profile, or Overview if the page is about one customer or conversion. */
export function useSwitchProfile(): (profileId: string) => void {
  const { linkSearch } = useReportScope();
  const navigate = useNavigate();
  const page = useMatches({ select: (matches): string => matches.at(-1)?.fullPath ?? '' });
  const isShared = page.startsWith('/p/$profileId/') && !page.slice('/p/$profileId/'.length).includes('$');
  return (profileId) =>
    void navigate({ to: isShared ? page : '/p/$profileId/overview', params: { profileId }, search: linkSearch });
}
