import * as Dialog from '@radix-ui/react-dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { languages } from '@tributary/vocabulary';
import { useEffect, useState } from 'react';
import { campaignsQuery } from '../campaigns-query.ts';
import { presets, today } from '../date-range.ts';
import { chooseLanguage } from '../messages/choose-language.ts';
import { t } from '../messages/index.ts';
import { languageTitles } from '../messages/language.ts';
import { accountQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';
import { chooseTheme, type Theme, themes } from '../theme.ts';
import { addressOf, searchOf, useViews } from '../views/views.ts';
import { usePages } from './navigation.tsx';
import { useSwitchProfile } from './profile-switcher.tsx';

interface Command {
  readonly title: string;
  readonly kind: string;
  readonly run: () => void;
}

/** The command palette, opened with Ctrl+K or ⌘K. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen} modal={false}>
      <Dialog.Trigger className="button max-sm:hidden" aria-keyshortcuts="Control+K Meta+K">
        {t.palette.goTo} <kbd className="label">Ctrl K</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-20 bg-ink/40" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-30 w-[min(34rem,92vw)] -translate-x-1/2 rounded-lg border border-line bg-paper p-3 shadow-xl"
        >
          <Dialog.Title className="sr-only">{t.palette.goTo}</Dialog.Title>
          <Commands close={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const inSight = 9;

function Commands({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const all = useCommands();
  const letters = text.trim().toLowerCase();
  const found = all.filter(({ title }) => title.toLowerCase().includes(letters)).slice(0, inSight);
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the palette was opened to type into it
        autoFocus
        type="search"
        aria-label={t.palette.goTo}
        className="field w-full"
        placeholder={t.palette.placeholder}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setChosen(0);
        }}
        onKeyDown={({ key }) => {
          if (key === 'ArrowDown') setChosen((index) => Math.min(index + 1, found.length - 1));
          if (key === 'ArrowUp') setChosen((index) => Math.max(index - 1, 0));
          if (key === 'Enter') run(found[chosen]);
        }}
      />
      <ul aria-label={t.palette.commands} className="mt-2">
        {found.map((command, index) => (
          <li key={`${command.kind} ${command.title}`}>
            <button
              type="button"
              className={`flex w-full justify-between gap-4 rounded px-2 py-1.5 text-left hover:bg-tint ${index === chosen ? 'bg-accent-soft' : ''}`}
              onClick={() => run(command)}
            >
              {command.title} <span className="label">{command.kind}</span>
            </button>
          </li>
        ))}
        {found.length === 0 && <li className="label px-2 py-1.5">{t.palette.nothing}</li>}
      </ul>
    </>
  );
}

function useCommands(): readonly Command[] {
  const { scope, model, linkSearch } = useReportScope();
  const navigate = useNavigate();
  const reachable = usePages();
  const { data: campaigns } = useQuery(campaignsQuery(scope, 'campaign', model));
  const views = useViews(scope.profileId);
  const { data: account } = useQuery(accountQuery);
  const switchTo = useSwitchProfile();
  const params = { profileId: scope.profileId };
  const now = today();
  return [
    ...reachable.map(({ to, title }) => ({
      title,
      kind: t.common.page,
      run: () => void navigate({ to, params, search: linkSearch }),
    })),
    ...(campaigns?.rows ?? []).flatMap(({ campaign_name: title, platform, external_id: campaign }) =>
      campaign === null
        ? []
        : [
            {
              title,
              kind: t.palette.campaign,
              run: () =>
                void navigate({
                  to: '/p/$profileId/campaigns',
                  params,
                  search: { ...linkSearch, level: 'ad_set', within: { platform, campaign } },
                }),
            },
          ],
    ),
    ...(account?.memberships ?? []).flatMap(({ workspace_name: workspace, profiles }) =>
      profiles
        .filter(({ id }) => id !== scope.profileId)
        .map(({ id, name }) => ({ title: name, kind: `${t.profiles.kind} · ${workspace}`, run: () => switchTo(id) })),
    ),
    ...views.map((view) => ({
      title: view.name,
      kind: t.views.title,
      run: () => void navigate({ to: addressOf(scope.profileId, view), search: searchOf(view) }),
    })),
    ...presets.map(({ title, range }) => ({
      title,
      kind: t.days.days,
      run: () => void navigate({ to: '.', search: (before) => ({ ...before, ...range(now) }) }),
    })),
    ...(Object.keys(themes) as Theme[]).map((theme) => ({
      title: themes[theme],
      kind: t.frame.theme,
      run: () => chooseTheme(theme),
    })),
    ...languages.map((one) => ({
      title: languageTitles[one],
      kind: t.frame.language,
      run: () => chooseLanguage(one),
    })),
  ];
}
