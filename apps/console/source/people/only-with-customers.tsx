import type { ReactNode } from 'react';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { Empty } from '../parts/states.tsx';
import { say } from '../messages/index.ts';

/** A page with personal data, for roles that may see customers; other members see why it is hidden. */
export function OnlyWithPeople({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { seesPeople, role, isHealthcare } = useMembership();
  if (seesPeople) return children;
  return (
    <>
      <h1 className="mb-4">{title}</h1>
      <Empty title={say.people.roleWithout}>
        {say.people.youAreHere} {role ? words(role).toLowerCase() : say.people.aGuest}
        {say.people.askAnalyst}
        {isHealthcare && ` ${say.people.healthcareMembers}`}
      </Empty>
    </>
  );
}

/** Tells the reader that access to personal data is logged. */
export function AccessNotice() {
  const { isHealthcare } = useMembership();
  return (
    <p className="label mt-4 max-w-prose">
      {say.people.noted}
      {isHealthcare && ` ${say.people.healthcareApps}`}
    </p>
  );
}
