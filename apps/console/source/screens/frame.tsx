import * as Dialog from '@radix-ui/react-dialog';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useMatches, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { accountClient } from '../client.ts';
import { ExplainPanel } from '../explain/explain-panel.tsx';
import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { RangePicker } from '../parts/range-picker.tsx';
import { accountQuery } from '../queries.ts';
import { SaveView } from '../views/save-view.tsx';
import { ShareView } from '../views/share-view.tsx';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { ProfileSwitcher } from './profile-switcher.tsx';

const route = getRouteApi('/p/$profileId');

/** The frame of every page: profile, dates and navigation. */
export function Frame() {
  const hasDays = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.hasDays) });
  const hasComparison = useMatches({
    select: (matches) => matches.some(({ staticData }) => staticData.hasComparison),
  });
  const { explain } = route.useSearch();
  const { profileId } = route.useParams();
  return (
    // Reserves space for the panel on wide screens, so that the explained figure stays visible.
    <div className={explain ? 'xl:pr-[28rem] 2xl:pr-[34rem]' : ''}>
      <div className="mx-auto max-w-[96rem] px-4 pb-16 sm:px-6">
        <a
          href="#content"
          className="sr-only rounded bg-paper px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
        >
          {t.frame.toContent}
        </a>
        <header className="flex items-center justify-between gap-x-3 border-line border-b py-2 sm:gap-x-6 sm:py-3">
          <div className="flex items-center gap-2">
            <Menu />
            <Brand />
          </div>
          <Who />
        </header>
        <div className="lg:grid lg:grid-cols-[11rem_minmax(0,1fr)] lg:gap-x-6">
          <div className="max-lg:hidden">
            <div className="sticky top-0 max-h-screen overflow-y-auto py-5">
              <Navigation />
            </div>
          </div>
          <div className="min-w-0">
            <main id="content" tabIndex={-1} className={`focus:outline-none ${hasDays ? 'pt-3' : 'pt-5'}`}>
              <div className="mb-3 flex flex-wrap justify-end gap-2 empty:hidden">
                <ShareView />
                {hasDays && <SaveView />}
                {hasDays && <RangePicker hasComparison={hasComparison} />}
              </div>
              {/* The key resets open panels and inputs when the profile changes. */}
              <Outlet key={profileId} />
            </main>
          </div>
        </div>
        <ExplainPanel />
      </div>
    </div>
  );
}

/** The navigation of a narrow screen. */
function Menu() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen} modal={false}>
      <Dialog.Trigger className="button px-2.5 lg:hidden" aria-label={t.frame.menu}>
        <span aria-hidden="true">☰</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        {/* Radix's own overlay has an inline style, which the content security policy blocks. */}
        <div aria-hidden="true" className="fixed inset-0 z-10 bg-ink/40" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-20 w-64 overflow-y-auto bg-paper p-4 shadow-xl"
        >
          <Dialog.Title className="sr-only">{t.frame.menu}</Dialog.Title>
          <Navigation onGo={() => setOpen(false)} />
          <div className="mt-4 flex gap-2 px-3 sm:hidden">
            <OwnAccount />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Who() {
  return (
    <div className="flex min-w-0 items-center gap-2 sm:gap-3">
      <ProfileSwitcher />
      <Palette />
      <div className="flex gap-2 max-sm:hidden sm:gap-3">
        <OwnAccount />
      </div>
    </div>
  );
}

/** Links to the account settings and the sign-out button. */
function OwnAccount() {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const signOut = useMutation({
    mutationFn: () => accountClient.signOut(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in', search: {} });
      queryClient.clear();
    },
  });
  return (
    <>
      <Link to="/account" className="button">
        {t.frame.account}
      </Link>
      <button
        type="button"
        className="button whitespace-nowrap"
        title={account?.email}
        onClick={() => signOut.mutate()}
      >
        {t.frame.signOut}
      </button>
    </>
  );
}
