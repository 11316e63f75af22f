import type { QueueHandler } from '@tributary/work';
import type { Engines } from './read-figures.ts';
import { rebuildProfile } from './rebuild-profile.ts';
import { isDue, setDue } from './store.ts';

/** Scores the ads of due profiles; a profile has one item, itself. */
export const scores = (engines: Engines, now: () => Date): QueueHandler => ({
  async load(profileId) {
    const due = await engines.app.forProfile(profileId).transaction((tx) => isDue(tx, profileId), { readOnly: true });
    return { items: due ? [{ id: profileId }] : [], isMore: false };
  },
  async work({ key, signal }) {
    const counts = await rebuildProfile(engines, key, now(), signal);
    if (!counts) await engines.app.forProfile(key).transaction((tx) => setDue(tx, key, false));
  },
  park: (tx, profileId) => setDue(tx, profileId, false),
  unpark: (tx, profileId) => setDue(tx, profileId, true),
});
