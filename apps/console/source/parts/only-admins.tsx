import type { ReactNode } from 'react';
import { words } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Empty } from './states.tsx';

/** A page for owners and admins; other members see why they cannot open it. */
export function OnlyAdmins({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { isAdmin, role } = useMembership();
  if (isAdmin || role === undefined) return children;
  return (
    <>
      <h1 className="mb-4">{title}</h1>
      <Empty title={t.states.onlyAdmins}>{t.states.askAdmin(words(role).toLowerCase())}</Empty>
    </>
  );
}
