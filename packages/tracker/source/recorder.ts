import { attempt } from './attempt.ts';
import { isAllowed, rememberedSeconds } from './consent.ts';
import { openQueue } from './queue.ts';
import { createSender, type Sender } from './send.ts';
import { keptSession, ongoingSession } from './session.ts';
import type { Settings } from './settings.ts';
import { readShared, writeShared } from './storage.ts';
import { isUuid, uuid } from './uuid.ts';
import type { Draft } from './visit.ts';

export interface Recorder {
  record(draft: Draft): void;
  /** Stores what had to wait, and has it sent. */
  settle(): void;
  /** Forgets what waits for consent. */
  forget(): void;
  readonly sender: Sender;
}

const maximumDrafts = 100;
const sessionSeconds = 1_800;

/**
 * From a visit that happens to one in the queue. Until it may be stored it waits in memory, in the order of time; the first are kept, because
 * they say how the person came here.
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
      const ongoing = ongoingSession(readShared(sessionName), atMs);
      const session = ongoing || uuid(atMs);
      writeShared(sessionName, keptSession(session, atMs), sessionSeconds);
      queue.add({ ...draft, session_id: session, is_session_start: !ongoing });
    }
  }

  const sender = createSender({ key, endpoint, queue, clientId, isAllowed: mayStore, settle });

  function settleInTurn(): void {
    // The lock may be held by a tab that the system has put to sleep; the sender settles without it when its time comes.
    exclusively(`tributary_${key}`, settle);
    sender.soon();
  }

  return {
    record(draft) {
      if (drafts.length === maximumDrafts) settle();
      if (drafts.length < maximumDrafts) drafts.push(draft);
      settleInTurn();
    },
    settle: settleInTurn,
    forget() {
      drafts = [];
    },
    sender,
  };
}

/** Who this browser is: nothing but a number of ours. Written again each time, so that its time begins anew. */
function clientId(): string {
  const kept = readShared('id');
  const id = isUuid(kept) ? kept : uuid(Date.now());
  writeShared('id', id, rememberedSeconds);
  return id;
}

/** One tab at a time, where the browser can do that: two that open together must not both begin the session. */
function exclusively(name: string, work: () => void): void {
  const safely = () => attempt(work);
  if (!navigator.locks) safely();
  else navigator.locks.request(name, async () => safely()).catch(safely);
}
