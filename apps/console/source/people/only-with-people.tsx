import type { ReactNode } from 'react';
import { useMembership } from '../membership.ts';
import { Empty } from '../parts/states.tsx';

/** A screen that names people, for those whose role lets them see people; for others the reason why there is none. */
export function OnlyWithPeople({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { seesPeople, role, isHealthcare } = useMembership();
  if (seesPeople) return children;
  return (
    <>
      <h1 className="mb-4">{title}</h1>
      <Empty title="Your role shows reports without people">
        You are here as {role ?? 'a guest'}. An owner or admin of the workspace can make you an analyst, who sees
        people.
        {isHealthcare && ' This is a healthcare profile: its people are shown to members alone, never to partner apps.'}
      </Empty>
    </>
  );
}

/** Whoever looks at people should know that it is noted. */
export function Noted() {
  const { isHealthcare } = useMembership();
  return (
    <p className="label mt-4 max-w-prose">
      Every look at people is noted in the log of who read them.
      {isHealthcare && ' This is a healthcare profile: partner apps cannot see any of this.'}
    </p>
  );
}
