import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { longDay } from '../format.ts';
import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { usePlace } from '../place.ts';
import { profileQuery } from '../queries.ts';
import { say } from '../words/index.ts';

/** What stands around a report that somebody opened by a link: whose it is and of which days, and no way to anything else. */
export function SharedFrame() {
  const { place } = usePlace();
  const profile = useQueryClient().getQueryData(profileQuery(place.profileId).queryKey);
  return (
    <div className="mx-auto max-w-[96rem] px-4 pb-16 sm:px-6">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-line border-b py-3">
        <Brand />
        <p>
          <strong>{profile?.name}</strong>{' '}
          <span className="label">{say.shared.days(longDay(place.from), longDay(place.to))}</span>
        </p>
        <p className="label">{say.shared.readOnly}</p>
      </header>
      <main id="content" className="pt-5">
        <Outlet />
      </main>
    </div>
  );
}

/** Where a link leads that is over, or that was not copied whole. */
export function SharedOver() {
  return (
    <main className="mx-auto grid max-w-xl gap-4 p-6">
      <Brand />
      <h1 className="sr-only">{say.shared.over}</h1>
      <Empty title={say.shared.over}>{say.shared.overAbout}</Empty>
    </main>
  );
}
