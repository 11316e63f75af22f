import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { accountClient } from '../client.ts';
import { ExplainPanel } from '../explain/explain-panel.tsx';
import { useMembership } from '../membership.ts';
import { Brand } from '../parts/brand.tsx';
import { RangePicker } from '../parts/range-picker.tsx';
import { usePlace } from '../place.ts';
import { accountQuery } from '../queries.ts';

const screens = [
  { to: '/p/$profileId/overview', title: 'Overview' },
  { to: '/p/$profileId/campaigns', title: 'Campaigns' },
  { to: '/p/$profileId/platforms', title: 'Platforms' },
  { to: '/p/$profileId/top-ads', title: 'Top ads' },
  { to: '/p/$profileId/payments', title: 'Payments' },
  { to: '/p/$profileId/webhooks', title: 'Webhooks' },
] as const;
const withPeople = [...screens, { to: '/p/$profileId/customers', title: 'Customers' }] as const;

/** What stands around every report: whose numbers, of which days, and the way to the others. */
export function Frame() {
  const { place, kept } = usePlace();
  const { seesPeople } = useMembership();
  return (
    <div className="mx-auto max-w-[80rem] px-4 pb-16 sm:px-6">
      <a
        href="#content"
        className="sr-only rounded bg-paper px-3 py-2 focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        To the content
      </a>
      <header>
        <div className="flex items-center justify-between gap-x-3 py-2 sm:gap-x-6 sm:py-4">
          <Brand />
          <Who />
        </div>
        <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2 border-line border-b max-md:flex-col-reverse max-md:flex-nowrap max-md:items-stretch">
          <nav
            aria-label="Reports"
            className="-mb-px flex min-w-0 gap-x-4 overflow-x-auto whitespace-nowrap sm:gap-x-6 md:flex-wrap"
          >
            {(seesPeople ? withPeople : screens).map(({ to, title }) => (
              <Link
                key={to}
                to={to}
                params={{ profileId: place.profileId }}
                search={kept}
                activeOptions={{ includeSearch: false }}
                className="border-transparent border-b-2 py-2 text-soft hover:text-ink"
                activeProps={{ className: 'border-accent! font-semibold text-ink!' }}
              >
                {title}
              </Link>
            ))}
          </nav>
          <div className="md:pb-2">
            <RangePicker />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="pt-6 focus:outline-none">
        <Outlet />
      </main>
      <ExplainPanel />
    </div>
  );
}

function Who() {
  const { place, kept } = usePlace();
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
    <div className="flex min-w-0 items-center gap-2 sm:gap-3">
      <select
        aria-label="Profile"
        className="field min-w-0 max-w-56"
        value={place.profileId}
        onChange={({ target }) =>
          void navigate({
            to: '/p/$profileId/overview',
            params: { profileId: target.value },
            search: kept,
          })
        }
      >
        {account?.memberships.map(({ workspace_id: id, workspace_name: workspace, profiles }) => (
          <optgroup key={id} label={workspace}>
            {profiles.map((profile) => (
              <option key={profile.id} value={profile.id}>
                {profile.name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <Link to="/account" className="button">
        Account
      </Link>
      <button
        type="button"
        className="button whitespace-nowrap"
        title={account?.email}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </button>
    </div>
  );
}
