import { Brand } from '../parts/brand.tsx';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/use-title.ts';

export function NoProfile() {
  useTitle('No profile yet');
  return (
    <main className="mx-auto grid max-w-xl gap-6 p-6">
      <Brand />
      <Empty title="There is no profile here yet">
        Somebody who runs this server makes one with <code>tributary profile create</code>, or invites you to a
        workspace that has one. Then load this page again.
      </Empty>
    </main>
  );
}
