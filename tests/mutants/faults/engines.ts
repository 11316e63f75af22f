import { type Fault, faultsIn } from '../fault.ts';

/** Of the packages around the engines: queues, the visits log, the stores. */
export const faults: readonly Fault[] = [
  {
    id: 'buckets-mix-two-files',
    file: 'packages/storage/bucket.ts',
    from: "...(tag && { 'if-match': tag })",
    to: '',
    breaks: 'a file that is replaced while it is read comes as a mixture of both',
    tests: ['packages/storage/storage.test.ts'],
  },
  {
    id: 'buckets-keep-halves',
    file: 'packages/storage/bucket.ts',
    from: "await request({ method: 'DELETE', key, query: { uploadId } }).catch(() => {});",
    to: '',
    breaks: 'the parts of a file that could not be sent are paid for ever',
    tests: ['packages/storage/storage.test.ts'],
  },
  {
    id: 'buckets-list-one-page',
    file: 'packages/storage/bucket.ts',
    from: "nextToken = readElement(body, 'NextContinuationToken');",
    to: 'nextToken = undefined;',
    breaks: 'of many backups the newest is not seen',
    tests: ['packages/storage/storage.test.ts'],
  },
  ...faultsIn('packages/work/leases.ts', ['packages/work/queue.test.ts'], {
    'two-workers-one-key': [
      'AND due <= now() AND until <= now()',
      'AND due <= now()',
      'two workers have one key at once',
    ],
    'failed-turn-not-counted': [
      'is_waiting = true, attempts = attempts + 1,',
      'is_waiting = true, attempts = 0,',
      'what fails is tried whole for ever and nothing is set aside',
    ],
    'replay-waits-for-the-pace': [
      'WHERE t.holder IS NULL OR t.until <= now() OR',
      'WHERE t.until <= now() OR',
      'a replay of a profile to which something happens all the time waits for minutes',
    ],
  }),
  ...faultsIn('packages/work/job.ts', ['packages/work/job.test.ts'], {
    'jobs-of-payloads-unread': [
      'kind.payload.parse(payload), {',
      'payload as object, {',
      'a job with a wrong payload is taken and fails for ever',
    ],
    'job-outside-its-transaction': [
      '        db: fromKysely(tx),\n',
      '',
      'a job runs although what caused it was rolled back',
    ],
  }),
  ...faultsIn(
    'packages/stream/batch-processor.ts',
    ['packages/stream/batch-processor.test.ts', 'packages/stream/consumer.test.ts'],
    {
      'buried-before-the-letter': [
        "      delivery.giveBack(letterRetryMs);\n      this.#observe({ kind: 'dead-letter-failed', id, error });\n      return;",
        "      this.#observe({ kind: 'dead-letter-failed', id, error });",
        'a message whose dead letter could not be written is lost',
      ],
      'outage-makes-dead-letters': [
        'if (!(error instanceof RetryLater)) throw error;',
        'throw error;',
        'an outage of a store makes dead letters of visits',
      ],
      'neighbours-condemned': [
        '      await this.#try(open.slice(0, middle));\n      await this.#try(open.slice(middle));',
        '      for (const one of open) {\n        one.retry(this.#backoff(one.deliveries), reasonOf(error));\n        await this.#answer(one);\n      }',
        'one bad message condemns its whole batch',
      ],
      'unknown-fault-not-held': [
        'if (!isHeld) return this.#handleFailure(open, failure.error);',
        'return this.#handleFailure(open, failure.error);',
        'a fault outside of the messages makes dead letters of them',
      ],
      'deadly-tried-for-ever': [
        "return deliveries <= crashLimit * maxDeliveries ? 'suspect' : 'fatal';",
        "return 'suspect';",
        'a message that kills its workers kills them for ever',
      ],
    },
  ),
  ...faultsIn('packages/stream/dead-letters.ts', ['packages/stream/dead-letters.test.ts'], {
    'letters-page-repeats': [
      'let from = after + 1;',
      'let from = after;',
      'a page of dead letters begins with the last of the one before',
    ],
    'letters-replayed-at-once': [
      '[10, 60, 6 * 60, 24 * 60, 3 * 24 * 60]',
      '[0, 60, 6 * 60, 24 * 60, 3 * 24 * 60]',
      'what failed comes back at once and fails again',
    ],
  }),
  ...faultsIn('packages/stream/publisher.ts', ['packages/stream/publisher.test.ts'], {
    'lost-answers-not-repeated': [
      'if (isFinal(fault)) throw fault;',
      'throw fault;',
      'a visit is refused when one acknowledgement is lost',
    ],
    'published-without-an-id': ['msgID: message.id,', '', 'a visit that is sent again is stored twice in the log'],
    'some-failed-is-all-well': [
      'if (failures.length > 0) {',
      'if (failures.length === messages.length) {',
      'a collector confirms visits that the log does not have',
    ],
  }),
  ...faultsIn('packages/stream/trim.ts', ['packages/stream/trim.test.ts'], {
    'trims-what-nobody-read': [
      'Math.min(target, Math.min(...floors) - kept + 1)',
      'target',
      'visits leave the log before anybody read them',
    ],
  }),
  ...faultsIn('packages/stream/slots.ts', ['packages/stream/slots.test.ts'], {
    'slot-goes-twice': [
      '    this.#waiting.delete(next);\n    next();',
      '    this.#waiting.delete(next);\n    this.#taken -= 1;\n    next();',
      'more messages are on their way than the log bears',
    ],
  }),
  ...faultsIn('packages/postgres/servers.ts', ['packages/postgres/unavailable.test.ts'], {
    'first-server-only': [
      'stream: () => new FollowingSocket(servers) };',
      '};',
      'after a failover every connection still goes to the server that is lost',
    ],
    'programs-take-a-standby': [
      "address.searchParams.set('target_session_attrs', 'read-write');",
      '',
      'a backup is taken from, or restored into, a server that takes no writes',
    ],
  }),
  ...faultsIn('packages/postgres/upgrade-plan.ts', ['packages/postgres/unavailable.test.ts'], {
    'functions-count': [
      ".replace(/\\bAS\\s+\\$(\\w*)\\$.*?\\$\\1\\$/gis, '')",
      '',
      'doctor takes what a function would do for what the upgrade does',
    ],
  }),
  ...faultsIn('packages/postgres/ledger.ts', ['packages/postgres/ledger.test.ts'], {
    'wall-takes-anything': [
      "if (!isUuidInAnyCase(text)) throw new TypeError('The wall needs the UUID of a profile or workspace.');",
      '',
      'a text that is no id reaches a SET statement',
    ],
    'wall-stays-behind': [
      'const scope = { profile_id: profileId, workspace_id: workspaceId, app_id: appId };',
      "const scope = Object.fromEntries(Object.entries({ profile_id: profileId, workspace_id: workspaceId, app_id: appId }).filter(([, id]) => id !== ''));",
      'a transaction that moves behind another wall still sees through the first',
    ],
  }),
  ...faultsIn(
    'packages/postgres/sweep.ts',
    ['tests/retention.test.ts', 'apps/worker/worker.test.ts', 'domain/tenancy/events/prune-events.test.ts'],
    {
      'swept-a-day-too-soon': [
        'now.getTime() - lifeDays * dayMs',
        'now.getTime() - (lifeDays - 1) * dayMs',
        'rows are deleted a day before their life is over',
      ],
      'sweep-stops-early': [
        'if (rows.length < batchSize) break;',
        'break;',
        'of many old rows only the first batch goes',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/batch-writer.ts', ['packages/clickhouse/batch-writer.test.ts'], {
    'new-token-each-try': [
      '    const token = randomUUID();\n    for (let failures = 1; ; failures += 1) {\n      try {',
      '    for (let failures = 1; ; failures += 1) {\n      const token = randomUUID();\n      try {',
      'a batch whose answer was lost is stored twice',
    ],
    'bad-row-takes-neighbours': [
      'if (calls.length > 1 && !isTransient(error))',
      'if (false)',
      'a row that the engine refuses takes its neighbours along',
    ],
    'writer-without-bounds': [
      'if (this.#pendingRows > 0 && this.#pendingRows + next.rows > this.#options.maxPendingRows) break;',
      '',
      'while the engine is slow the memory fills',
    ],
  }),
  ...faultsIn('packages/clickhouse/erase-people.ts', ['packages/clickhouse/erase-people.test.ts'], {
    'mutations-not-waited-for': [
      'for (const node of nodes) await mutationsDone(node, mark, signal);',
      '',
      'an erasure is called done while the columns still hold the person',
    ],
    'failed-mutation-stays': [
      "if (pending.failure !== '') throw new Error(`A mutation of ClickHouse fails: ${pending.failure}`);",
      '',
      'a mutation that fails holds every erasure after it',
    ],
    'mutation-within-a-request': [
      ' SETTINGS mutations_sync = 0`',
      '`',
      'an erasure in a large table takes longer than its request may, and is taken back at every try',
    ],
  }),
];
