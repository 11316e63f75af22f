import { useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { longDay } from '../format.ts';
import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { profileQuery } from '../queries.ts';
import { useReportScope } from '../report-scope.ts';

/** The frame of a shared report: profile and dates, without navigation. */
export function SharedFrame() {
  const { scope } = useReportScope();
  const profile = useQueryClient().getQueryData(profileQuery(scope.profileId).queryKey);
  return (
    <div className="mx-auto max-w-[96rem] px-4 pb-16 sm:px-6">
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-line border-b py-3">
        <Brand />
        <p>
          <strong>{profile?.name}</strong>{' '}
          <span className="label">{t.shared.days(longDay(scope.from), longDay(scope.to))}</span>
        </p>
        <p className="label">{t.shared.readOnly}</p>
      </header>
      <main id="content" className="pt-5">
        <Outlet />
      </main>
    </div>
  );
}

/** Shown for a shared link that expired or was not copied completely. */
export function SharedOver() {
  return (
    <main className="mx-auto grid max-w-xl gap-4 p-6">
      <Brand />
      <h1 className="sr-only">{t.shared.over}</h1>
      <Empty title={t.shared.over}>{t.shared.overAbout}</Empty>
    </main>
  );
}
