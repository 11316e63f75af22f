import { type Installation, openInstallation } from './installation.ts';

let shared: Promise<Installation> | undefined;

/**
 * One installation for all stories that a process of the test runner runs: starting one takes longer than most stories. Each story opens
 * a workspace of its own in it. Its processes end with the test process; `sweepLeftovers` drops its databases after the run.
 */
export const sharedInstallation = (): Promise<Installation> => {
  shared ??= openInstallation();
  return shared;
};

let advancing: Promise<Installation> | undefined;

/** One more, for the stories that advance its clock: no other story runs in their future. Sessions last long enough for that. */
export const advancingInstallation = (): Promise<Installation> => {
  advancing ??= openInstallation({ SESSION_DAYS: '90', SESSION_IDLE_MINUTES: '129600' });
  return advancing;
};
