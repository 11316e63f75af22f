import { type Fault, faultsIn } from '../fault.ts';

/** Faults in the packages around the engines: queues, the visit stream and the stores. */
export const faults: readonly Fault[] = [
  {
    id: 'buckets-mix-two-files',
    file: 'packages/storage/bucket.ts',
    from: "...(tag && { 'if-match': tag })",
    to: '',
    breaks: 'a file that is replaced during a read is returned as a mix of both versions',
    tests: ['packages/storage/storage.test.ts'],
  },
  {
    id: 'buckets-keep-halves',
    file: 'packages/storage/bucket.ts',
    from: "await request({ method: 'DELETE', key, query: { uploadId } }).catch(() => {});",
    to: '',
    breaks: 'the parts of a failed upload are kept and billed forever',
    tests: ['packages/storage/storage.test.ts'],
  },
  {
    id: 'buckets-list-one-page',
    file: 'packages/storage/bucket.ts',
    from: "nextToken = readElement(body, 'NextContinuationToken');",
    to: 'nextToken = undefined;',
    breaks: 'with many backups the newest is not found',
    tests: ['packages/storage/storage.test.ts'],
  },
  ...faultsIn('packages/work/leases.ts', ['packages/work/queue.test.ts'], {
    'two-workers-one-key': [
      'AND due <= now() AND until <= now()',
      'AND due <= now()',
      'two workers process one key at the same time',
    ],
    'failed-turn-not-counted': [
      'is_waiting = true, attempts = attempts + 1,',
      'is_waiting = true, attempts = 0,',
      'a failing batch is retried forever and nothing is parked',
    ],
    'replay-waits-for-the-pace': [
      'WHERE t.holder IS NULL OR t.until <= now() OR',
      'WHERE t.until <= now() OR',
      'the replay of a busy profile waits for minutes',
    ],
  }),
  ...faultsIn('packages/work/job.ts', ['packages/work/job.test.ts'], {
    'jobs-of-payloads-unread': [
      'kind.payload.parse(payload), {',
      'payload as object, {',
      'a job with an invalid payload is accepted and fails forever',
    ],
    'job-outside-its-transaction': [
      '        db: fromKysely(tx),\n',
      '',
      'a job runs although the transaction that enqueued it was rolled back',
    ],
  }),
  ...faultsIn(
    'packages/stream/batch-processor.ts',
    ['packages/stream/batch-processor.test.ts', 'packages/stream/consumer.test.ts'],
    {
      'buried-before-the-letter': [
        "      delivery.giveBack(letterRetryMs);\n      this.#observe({ kind: 'dead-letter-failed', id, error });\n      return;",
        "      this.#observe({ kind: 'dead-letter-failed', id, error });",
        'a message is lost when its dead letter could not be written',
      ],
      'outage-makes-dead-letters': [
        'if (!(error instanceof RetryLater)) throw error;',
        'throw error;',
        'an outage of a store turns visits into dead letters',
      ],
      'neighbours-condemned': [
        '      await this.#try(open.slice(0, middle));\n      await this.#try(open.slice(middle));',
        '      for (const one of open) {\n        one.retry(this.#backoff(one.deliveries), reasonOf(error));\n        await this.#answer(one);\n      }',
        'one bad message fails its whole batch',
      ],
      'unknown-fault-not-held': [
        'if (!isHeld) return this.#handleFailure(open, failure.error);',
        'return this.#handleFailure(open, failure.error);',
        'an infrastructure error turns messages into dead letters',
      ],
      'deadly-tried-for-ever': [
        "return deliveries <= crashLimit * maxDeliveries ? 'suspect' : 'fatal';",
        "return 'suspect';",
        'a message that crashes its workers crashes them forever',
      ],
    },
  ),
  ...faultsIn('packages/stream/dead-letters.ts', ['packages/stream/dead-letters.test.ts'], {
    'letters-page-repeats': [
      'let from = after + 1;',
      'let from = after;',
      'a page of dead letters starts with the last one of the previous page',
    ],
    'letters-replayed-at-once': [
      '[10, 60, 6 * 60, 24 * 60, 3 * 24 * 60]',
      '[0, 60, 6 * 60, 24 * 60, 3 * 24 * 60]',
      'replayed dead letters return at once and fail again',
    ],
  }),
  ...faultsIn('packages/stream/publisher.ts', ['packages/stream/publisher.test.ts'], {
    'lost-answers-not-repeated': [
      'if (isFinal(fault)) throw fault;',
      'throw fault;',
      'a visit is rejected when one acknowledgement is lost',
    ],
    'published-without-an-id': ['msgID: message.id,', '', 'a visit that is sent again is stored twice in the stream'],
    'some-failed-is-all-well': [
      'if (failures.length > 0) {',
      'if (failures.length === messages.length) {',
      'the collector confirms visits that the stream does not have',
    ],
  }),
  ...faultsIn('packages/stream/trim.ts', ['packages/stream/trim.test.ts'], {
    'trims-what-nobody-read': [
      'Math.min(target, Math.min(...floors) - kept + 1)',
      'target',
      'visits are removed from the stream before they were consumed',
    ],
  }),
  ...faultsIn('packages/stream/slots.ts', ['packages/stream/slots.test.ts'], {
    'slot-goes-twice': [
      '    this.#waiting.delete(next);\n    next();',
      '    this.#waiting.delete(next);\n    this.#taken -= 1;\n    next();',
      'more messages are published at once than the stream allows',
    ],
  }),
  ...faultsIn('packages/postgres/servers.ts', ['packages/postgres/unavailable.test.ts'], {
    'first-server-only': [
      'stream: () => new FollowingSocket(servers) };',
      '};',
      'after a failover new connections still go to the failed server',
    ],
    'programs-take-a-standby': [
      "address.searchParams.set('target_session_attrs', 'read-write');",
      '',
      'a backup is read from, or restored into, a read-only standby',
    ],
  }),
  ...faultsIn('packages/postgres/upgrade-plan.ts', ['packages/postgres/unavailable.test.ts'], {
    'functions-count': [
      ".replace(/\\bAS\\s+\\$(\\w*)\\$.*?\\$\\1\\$/gis, '')",
      '',
      'doctor counts statements inside function bodies as steps of the upgrade',
    ],
  }),
  ...faultsIn('packages/postgres/ledger.ts', ['packages/postgres/ledger.test.ts'], {
    'wall-takes-anything': [
      "if (!isUuidInAnyCase(text)) throw new TypeError('The wall needs the UUID of a profile or workspace.');",
      '',
      'a text that is not a UUID reaches a SET statement',
    ],
    'wall-stays-behind': [
      'const scope = { profile_id: profileId, workspace_id: workspaceId, app_id: appId };',
      "const scope = Object.fromEntries(Object.entries({ profile_id: profileId, workspace_id: workspaceId, app_id: appId }).filter(([, id]) => id !== ''));",
      'a transaction that switches its tenant scope can still read the first tenant',
    ],
  }),
  ...faultsIn(
    'packages/postgres/sweep.ts',
    ['tests/retention.test.ts', 'apps/worker/worker.test.ts', 'domain/tenancy/events/prune-events.test.ts'],
    {
      'swept-a-day-too-soon': [
        'now.getTime() - lifeDays * dayMs',
        'now.getTime() - (lifeDays - 1) * dayMs',
        'rows are deleted one day before their retention period ends',
      ],
      'sweep-stops-early': [
        'if (rows.length < batchSize) break;',
        'break;',
        'a sweep deletes only the first batch of old rows',
      ],
    },
  ),
  ...faultsIn('packages/clickhouse/batch-writer.ts', ['packages/clickhouse/batch-writer.test.ts'], {
    'new-token-each-try': [
      '    const token = randomUUID();\n    for (let failures = 1; ; failures += 1) {\n      try {',
      '    for (let failures = 1; ; failures += 1) {\n      const token = randomUUID();\n      try {',
      'a batch whose response was lost is stored twice',
    ],
    'bad-row-takes-neighbours': [
      'if (calls.length > 1 && !isTransient(error))',
      'if (false)',
      'a row that ClickHouse rejects fails all rows of its batch',
    ],
    'writer-without-bounds': [
      'if (this.#pendingRows > 0 && this.#pendingRows + next.rows > this.#options.maxPendingRows) break;',
      '',
      'memory fills while ClickHouse is slow',
    ],
  }),
  ...faultsIn('packages/clickhouse/erase-people.ts', ['packages/clickhouse/erase-people.test.ts'], {
    'mutations-not-waited-for': [
      'for (const node of nodes) await mutationsDone(node, mark, signal);',
      '',
      'an erasure is reported as done while ClickHouse still stores the customer',
    ],
    'failed-mutation-stays': [
      "if (pending.failure !== '') throw new Error(`A mutation of ClickHouse fails: ${pending.failure}`);",
      '',
      'a failed mutation blocks every later erasure',
    ],
    'mutation-within-a-request': [
      ' SETTINGS mutations_sync = 0`',
      '`',
      'an erasure in a large table exceeds its request timeout and is rolled back on every retry',
    ],
  }),
];
