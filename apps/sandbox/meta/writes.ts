import type { CompanyDeps } from '../company.ts';
import type { Grant } from '../consents.ts';
import { json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { sharedBy, withAccount } from './accounts.ts';
import { metaError, paramsOf, withToken } from './envelope.ts';
import { unknownNode } from './nodes.ts';
import { type MetaAd, type MetaAdSet, type MetaCampaign, type MetaState, metaUnits } from './state.ts';

const hourMs = 3_600_000;
const changesAnHour = 4;
/** Meta publishes no number; this is the commonly observed one. */
const restartsLearningAt = 0.2;

export function writeRoutes(deps: CompanyDeps, state: () => MetaState): Route[] {
  return [
    {
      method: 'POST',
      path: '/meta/:version/:account/adcreatives',
      handle: withAccount(deps, state, (request, account, grant) => {
        if (!mayWrite(grant)) return forbidden();
        const { object_story_id: storyId, url_tags: urlTags = '' } = paramsOf(request);
        const like = [...state().creatives.values()].find((one) => one.storyId === storyId && one.account === account);
        if (!like)
          return metaError({ code: 100, subcode: 1_443_050, message: 'The post for this ad could not be found.' });
        const equal = [...state().creatives.values()].find((one) => one.storyId === storyId && one.urlTags === urlTags);
        if (equal) return json(200, { id: equal.id });
        const id = `95${state().creatives.size}${storyId?.slice(-6)}`;
        state().creatives.set(id, { ...like, id, urlTags });
        return json(200, { id });
      }),
    },
    {
      method: 'POST',
      path: '/meta/:version/:node',
      handle: withToken(deps, (request, grant) => {
        const id = request.params.node ?? '';
        const creative = state().creatives.get(id);
        if (creative && 'url_tags' in paramsOf(request)) {
          return metaError({ code: 100, message: 'Invalid parameter: url_tags of a creative cannot be changed.' });
        }
        const node = state().find(id);
        if (!node || !sharedBy(state(), grant).includes(node.account)) return unknownNode(id);
        if (!mayWrite(grant)) return forbidden();
        return change(deps, state(), node, request);
      }),
    },
  ];
}

const mayWrite = (grant: Grant): boolean => grant.scopes.includes('ads_management');
const forbidden = (): Reply =>
  metaError({
    status: 403,
    code: 200,
    message: '(#200) The user has not granted the app the ads_management permission',
  });

type Node = MetaCampaign | MetaAdSet | MetaAd;

function change(deps: CompanyDeps, state: MetaState, node: Node, request: SandboxRequest): Reply {
  const { status, daily_budget: budget, creative, execution_options: options = '' } = paramsOf(request);
  const isTrial = options.includes('validate_only');
  if (node.status === 'ARCHIVED' && status !== 'DELETED') {
    return metaError({ code: 100, subcode: 1_487_057, userMessage: 'You can only change the name of an archived ad.' });
  }
  if (status !== undefined && !['ACTIVE', 'PAUSED', 'ARCHIVED', 'DELETED'].includes(status)) {
    return metaError({ code: 100, message: `Invalid parameter: status ${status}` });
  }
  if (budget !== undefined) {
    const refused = changeBudget(deps, node, budget, isTrial);
    if (refused) return refused;
  }
  if (creative !== undefined) {
    const { creative_id: id = '' } = JSON.parse(creative) as { creative_id?: string };
    if (!('creativeId' in node) || !state.creatives.has(id))
      return metaError({ code: 100, message: 'Invalid creative' });
    if (!isTrial) node.creativeId = id;
  }
  if (status !== undefined && !isTrial) node.status = status;
  return json(200, { success: true });
}

function changeBudget(deps: CompanyDeps, node: Node, budget: string, isTrial: boolean): Reply | undefined {
  if (!('dailyBudget' in node) || node.dailyBudget === undefined) {
    return metaError({ code: 100, subcode: 1_885_621, userMessage: 'This ad set uses a campaign budget.' });
  }
  const least = Number(metaUnits(1, node.account.currency));
  if (!/^\d+$/.test(budget) || Number(budget) < least) {
    return metaError({
      code: 100,
      subcode: 1_487_901,
      userMessage: 'Your budget is too low.',
      blame: ['daily_budget'],
    });
  }
  if ('budgetChanges' in node) {
    const now = deps.now().getTime();
    const recent = node.budgetChanges.filter((at) => at > now - hourMs);
    if (recent.length >= changesAnHour) {
      return metaError({
        code: 613,
        subcode: 1_487_632,
        userMessage: 'You can change this budget four times an hour.',
      });
    }
    if (isTrial) return undefined;
    node.budgetChanges = [...recent, now];
    const before = Number(node.dailyBudget);
    if (Math.abs(Number(budget) - before) / before > restartsLearningAt) {
      node.learning = { status: 'LEARNING', lastSignificantEdit: now };
    }
  }
  if (!isTrial) node.dailyBudget = budget;
  return undefined;
}
