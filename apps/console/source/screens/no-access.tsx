import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { say } from '../messages/index.ts';

/** Shown for a profile that the account cannot open. */
export function NoAccess() {
  useTitle(say.profiles.noAccess);
  return (
    <main className="mx-auto grid max-w-xl gap-4 p-6">
      <Brand />
      <h1 className="sr-only">{say.profiles.noAccess}</h1>
      <Empty title={say.profiles.noAccess}>
        <p>{say.profiles.noAccessAbout}</p>
        <a className="mt-2 inline-block text-accent underline" href="/">
          {say.states.start}
        </a>
      </Empty>
    </main>
  );
}
