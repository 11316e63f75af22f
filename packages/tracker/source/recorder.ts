import { attempt } from './attempt.ts';
import { isAllowed, maxCookieSeconds } from './consent.ts';
import { openQueue } from './queue.ts';
import { createSender, type Sender } from './send.ts';
import { formatSession, getActiveSession } from './session.ts';
import type { Settings } from './settings.ts';
import { readShared, writeShared } from './storage.ts';
import { isUuid, uuid } from './uuid.ts';
import type { Draft } from './visit.ts';

export interface Recorder {
  record(draft: Draft): void;
  /** Stores the visits that waited for consent and schedules sending. */
  settle(): void;
  /** Drops the visits that wait for consent. */
  forget(): void;
  readonly sender: Sender;
}

const maximumDrafts = 100;
const sessionSeconds = 1_800;

/**
 * Turns visits into queue entries. Until a visit may be stored, it waits in memory in time order; when memory is full, the first
 * visits are kept, because they contain how the visitor arrived.
 */
export function createRecorder({ key, endpoint, consentRequired }: Settings): Recorder {
  const queue = openQueue(key);
  const sessionName = `session_${key}`;
  const mayStore = () => isAllowed(consentRequired);
  let drafts: Draft[] = [];

  function settle(): void {
    if (!mayStore()) return;
    for (const draft of drafts.splice(0)) {
      clientId();
      const atMs = Date.parse(draft.at);
      const ongoing = getActiveSession(readShared(sessionName), atMs);
      const session = ongoing || uuid(atMs);
      writeShared(sessionName, formatSession(session, atMs), sessionSeconds);
      queue.add({ ...draft, session_id: session, is_session_start: !ongoing });
    }
  }

  const sender = createSender({ key, endpoint, queue, clientId, isAllowed: mayStore, settle });

  function settleExclusively(): void {
    // The lock may be held by a suspended tab; the sender then stores the visits without it.
    exclusively(`tributary_${key}`, settle);
    sender.soon();
  }

  return {
    record(draft) {
      if (drafts.length === maximumDrafts) settle();
      if (drafts.length < maximumDrafts) drafts.push(draft);
      settleExclusively();
    },
    settle: settleExclusively,
    forget() {
      drafts = [];
    },
    sender,
  };
}

/** The visitor id, a random UUID. It is rewritten each time to extend the cookie's lifetime. */
function clientId(): string {
  const stored = readShared('id');
  const id = isUuid(stored) ? stored : uuid(Date.now());
  writeShared('id', id, maxCookieSeconds);
  return id;
}

/** Runs the work in one tab at a time if the browser supports locks: two tabs opened together must not both start a session. */
function exclusively(name: string, work: () => void): void {
  const safely = () => attempt(work);
  if (!navigator.locks) safely();
  else navigator.locks.request(name, async () => safely()).catch(safely);
}
