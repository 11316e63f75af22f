import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';
import { say } from '../words/index.ts';

export function NoProfile() {
  useTitle(say.frame.noProfile);
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Brand />
      <Empty title={say.frame.noProfileHere}>
        {say.frame.noProfileBefore} <code>tributary profile create</code>
        {say.frame.noProfileAfter}
      </Empty>
    </main>
  );
}
