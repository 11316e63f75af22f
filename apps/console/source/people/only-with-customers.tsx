import type { ReactNode } from 'react';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Empty } from '../parts/states.tsx';

/** A page with personal data, for roles that may see customers; other members see why it is hidden. */
export function OnlyWithPeople({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { seesPeople, role, isHealthcare } = useMembership();
  if (seesPeople) return children;
  return (
    <>
      <h1 className="mb-4">{title}</h1>
      <Empty title={t.people.roleWithout}>
        {t.people.youAreHere} {role ? words(role).toLowerCase() : t.people.aGuest}
        {t.people.askAnalyst}
        {isHealthcare && ` ${t.people.healthcareMembers}`}
      </Empty>
    </>
  );
}

/** A notice that access to personal data is logged. */
export function AccessNotice() {
  const { isHealthcare } = useMembership();
  return (
    <p className="label mt-4 max-w-prose">
      {t.people.noted}
      {isHealthcare && ` ${t.people.healthcareApps}`}
    </p>
  );
}
