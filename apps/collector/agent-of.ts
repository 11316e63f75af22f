import type { Agent } from '@tributary/domain/traffic/ingestion/intake.ts';
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

const maxCharacters = 512;
const unknown: Agent = { browser: '', os: '', device: 'unknown', is_bot: false };

/** Parses user agents. Parsing takes longer than the rest of a request, and there are few different ones, so they are cached. */
export function agentReader(): (userAgent: string | undefined) => Agent {
  const cache = new LRUCache<string, Agent>({ max: 10_000 });
  return (userAgent) => {
    if (!userAgent) return unknown;
    const text = userAgent.slice(0, maxCharacters);
    let agent = cache.get(text);
    if (!agent) {
      agent = readAgent(text);
      cache.set(text, agent);
    }
    return agent;
  };
}

const devices: Readonly<Record<string, Agent['device']>> = { desktop: 'desktop', mobile: 'mobile', tablet: 'tablet' };

/** Names only, from Bowser's own list: versions are of little use, and would help to fingerprint browsers. */
function readAgent(text: string): Agent {
  const { browser, os, platform } = Bowser.parse(text);
  return {
    browser: toKnownName(browser.name),
    os: toKnownName(os.name),
    device: devices[platform.type ?? ''] ?? 'unknown',
    is_bot: isbot(text),
  };
}

/** For unknown agents Bowser may return parts of the text itself. */
const toKnownName = (name: string | undefined): string =>
  name && /^[A-Za-z][A-Za-z .+-]{0,39}$/.test(name) ? name : '';
