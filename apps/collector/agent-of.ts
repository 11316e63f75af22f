import type { Agent } from '@tributary/domain/ingestion/intake.ts';
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

const longestAgent = 512;
const unknown: Agent = { browser: '', os: '', device: 'unknown', is_bot: false };

/** What a browser says it is. Reading one takes longer than all the rest of a request, and there are few different ones. */
export function agentReader(): (userAgent: string | undefined) => Agent {
  const known = new LRUCache<string, Agent>({ max: 10_000 });
  return (userAgent) => {
    if (!userAgent) return unknown;
    const text = userAgent.slice(0, longestAgent);
    let agent = known.get(text);
    if (!agent) {
      agent = readAgent(text);
      known.set(text, agent);
    }
    return agent;
  };
}

const devices: Readonly<Record<string, Agent['device']>> = { desktop: 'desktop', mobile: 'mobile', tablet: 'tablet' };

/** Names only, of Bowser's own list: a version tells little, and all of them together tell one browser from another. */
function readAgent(text: string): Agent {
  const { browser, os, platform } = Bowser.parse(text);
  return {
    browser: named(browser.name),
    os: named(os.name),
    device: devices[platform.type ?? ''] ?? 'unknown',
    is_bot: isbot(text),
  };
}

/** For what it does not know Bowser may give words of the text itself. */
const named = (name: string | undefined): string => (name && /^[A-Za-z][A-Za-z .+-]{0,39}$/.test(name) ? name : '');
