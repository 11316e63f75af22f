import { type Installation, openInstallation } from './installation.ts';

let shared: Promise<Installation> | undefined;

/**
 * One installation for all stories of a test process: starting one takes longer than most stories. Each story opens its own workspace in it. Its
 * processes end with the test process; `sweepLeftovers` drops its databases after the run.
 */
export const sharedInstallation = (): Promise<Installation> => {
  shared ??= openInstallation();
  return shared;
};

let advancing: Promise<Installation> | undefined;

/** A second one for stories that advance its clock, so that no other story runs in their future. Sessions last long enough for that. */
export const advancingInstallation = (): Promise<Installation> => {
  advancing ??= openInstallation({ SESSION_DAYS: '90', SESSION_IDLE_MINUTES: '129600' });
  return advancing;
};
