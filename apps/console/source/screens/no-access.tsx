import { t } from '../messages/index.ts';
import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';

/** Shown for a profile that the account cannot open. */
export function NoAccess() {
  useTitle(t.profiles.noAccess);
  return (
    <main className="mx-auto grid max-w-xl gap-4 p-6">
      <Brand />
      <h1 className="sr-only">{t.profiles.noAccess}</h1>
      <Empty title={t.profiles.noAccess}>
        <p>{t.profiles.noAccessAbout}</p>
        <a className="mt-2 inline-block text-accent underline" href="/">
          {t.states.start}
        </a>
      </Empty>
    </main>
  );
}
