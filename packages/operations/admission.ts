import { links, needsEntitlement, type Route } from '@tributary/contract';
import type { Caller } from './handler.ts';
import { refuse } from './refusal.ts';

/** Decides whether a caller may call a route: credential kind, profile or workspace, role, scope, entitlement, sunset. */

export function admit(route: Route, caller: Caller): void {
  const { access } = route;
  if (!access.credentials.includes(caller.kind)) {
    if (access.otherwise)
      refuse(access.otherwise, `This route takes ${access.credentials.join(' or ')} credentials only.`);
    refuse('forbidden', `This route takes ${access.credentials.join(' or ')} credentials only.`, {
      fields: { reason: 'credential_kind' },
    });
  }
  if (caller.confined && !caller.confined.operations.has(route.id)) {
    refuse('forbidden', 'This link shows one report, and this is no part of it.', { fields: { reason: 'link' } });
  }
  if (caller.kind === 'session' && !hasTenant(route, caller)) {
    refuse('not_found', 'There is no such profile or workspace among yours. Name one in X-Profile-Id or in the path.');
  }
  if (caller.kind === 'app' && caller.profileId === undefined && concernsOwnProfile(route)) {
    refuse('forbidden', 'This token speaks for no profile. Ask for one with "profile_id".', {
      fields: { reason: 'no_profile' },
    });
  }
  if (caller.role && access.roles && !access.roles.includes(caller.role)) {
    refuse('forbidden', `This needs the role ${access.roles.join(' or ')}; yours is ${caller.role}.`, {
      fields: { reason: 'role' },
    });
  }
  // Checked before the scopes, because no scope would help here.
  if (access.healthcare === 'refused' && caller.isHealthcare) {
    refuse('forbidden', 'This is not done on a healthcare-family profile.', { fields: { reason: 'healthcare' } });
  }
  const { scopes } = access;
  if (scopes && !scopes.some((all) => all.every((scope) => caller.scopes.has(scope)))) {
    const missing = (scopes[0] ?? []).filter((scope) => !caller.scopes.has(scope));
    const choice = scopes.map((all) => all.join(' and ')).join(', or ');
    refuse('insufficient_scope', `This route needs the scope ${choice}.`, { fields: { required_scopes: missing } });
  }
  if (needsEntitlement(route) && !caller.isEntitled) {
    refuse(
      'entitlement_required',
      'The app that created this profile has not switched attribution on for it, so nothing can be written yet.',
    );
  }
}

/** Whether the call would be admitted, for lists of allowed operations. */
export function isAdmitted(route: Route, caller: Caller): boolean {
  try {
    admit(route, caller);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks the caller's current permissions. If the route accepts alternative scopes, the response was built for the scopes held
 * before, and must not be sent if one of them was lost.
 */
export function readmit(route: Route, before: Caller, now: Caller): void {
  admit(route, now);
  const lost = (route.access.scopes ?? []).flat().filter((scope) => before.scopes.has(scope) && !now.scopes.has(scope));
  if (lost.length === 0) return;
  refuse('insufficient_scope', `The credential lost the scope ${lost.join(', ')} while the request was at work.`, {
    fields: { required_scopes: lost },
  });
}

/** Whether the route concerns the credential's own profile, and not one that the request names. */
const concernsOwnProfile = ({ access: { grain }, path }: Route): boolean =>
  (grain === 'profile' || grain === 'person') && !path.includes('{profileId}');

/** A session must act in a profile or workspace of its member. Others are answered as if they did not exist. */
function hasTenant({ access, path }: Route, { profileId, workspaceId }: Caller): boolean {
  if (access.grain === 'account') return true;
  if (access.grain === 'workspace') return workspaceId !== undefined || !path.includes('{workspaceId}');
  return profileId !== undefined;
}

interface Days {
  readonly date_from?: string | null;
  readonly date_to?: string | null;
}

/** A shared link may read only its own days and no customers. Routes that do not declare this are refused. */
export function admitDays(route: Route, caller: Caller, query: unknown): void {
  if (!caller.confined) return;
  const { days = 'any', people } = route.reveals ?? {};
  if (days === 'any' || people !== 'none') refuseOtherDays(caller);
  if (days === 'requested') admitRange(caller, query as Days | undefined);
}

/** The same for routes on which the server chooses the days, which only the answer contains. An empty answer shows none. */
export function admitAnsweredDays(route: Route, caller: Caller | undefined, body: unknown): void {
  if (!caller?.confined || route.reveals?.days !== 'answered') return;
  const { data, meta } = (body ?? {}) as { data?: unknown; meta?: Days };
  if (!Array.isArray(data) || data.length > 0) admitRange(caller, meta);
}

function admitRange(caller: Caller, { date_from: from, date_to: to }: Days = {}): void {
  const { confined } = caller;
  if (!confined || !from || !to || from < confined.from || to > confined.to) refuseOtherDays(caller);
}

const refuseOtherDays = ({ confined }: Caller): never =>
  refuse('forbidden', `This link shows the days from ${confined?.from} to ${confined?.to}.`, {
    fields: { reason: 'link' },
  });

/** Deprecation headers; from its sunset on the route is refused. */
export function deprecationHeaders({ deprecation }: Route, now: Date, baseUrl: string): Record<string, string> {
  if (!deprecation) return {};
  const { since, sunset, successor } = deprecation;
  if (now.getTime() >= Date.parse(`${sunset}T00:00:00Z`)) {
    refuse('not_found', `This route was retired on ${sunset}. Use ${successor} in its place.`);
  }
  return {
    deprecation: `@${Date.parse(`${since}T00:00:00Z`) / 1_000}`,
    sunset: new Date(`${sunset}T00:00:00Z`).toUTCString(),
    link: `<${links.route(baseUrl, successor.replace(/^[A-Z]+ /, ''))}>; rel="successor-version"`,
  };
}
