import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { clientFor } from '../client.ts';
import { ago } from '../format.ts';
import { useMembership } from '../membership.ts';
import { t } from '../messages/index.ts';
import { Copy } from '../parts/copy.tsx';
import { LineForm, TitledField } from '../parts/line-form.tsx';
import { Failed, State } from '../parts/page.tsx';
import { QueryResult } from '../parts/states.tsx';
import { profileQuery } from '../queries.ts';
import { type Receipt, snippetQuery, verificationQuery } from './queries.ts';

interface TrackerStepProps {
  readonly profileId: string;
  /** Recently received visits; absent while they load. */
  readonly receipt: Receipt | undefined;
}

/** The tag, the visits received from it, and a check of one page. */
export function TrackerStep({ profileId, receipt }: TrackerStepProps) {
  const { may } = useMembership();
  const queryClient = useQueryClient();
  const snippet = useQuery(snippetQuery(profileId));
  const makeKey = useMutation({
    mutationFn: () => clientFor(profileId).createTrackingKey({}),
    onSuccess: () => queryClient.invalidateQueries(snippetQuery(profileId)),
  });
  return (
    <>
      <QueryResult query={snippet} lines={2}>
        {(text) =>
          text === null ? (
            <div>
              <button
                type="button"
                className="button-main"
                disabled={!may('attribution:write') || makeKey.isPending}
                onClick={() => makeKey.mutate()}
              >
                {t.setUp.makeKey}
              </button>
              <Failed error={makeKey.error} />
            </div>
          ) : (
            <div className="grid gap-2">
              <p>
                {t.setUp.pasteBefore} <code>&lt;/head&gt;</code> {t.setUp.pasteAfter}
              </p>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <pre tabIndex={0} className="overflow-x-auto rounded bg-tint p-3 text-small">
                {text.trim()}
              </pre>
              <div>
                <Copy text={text.trim()} about={t.setUp.theTag} />
              </div>
            </div>
          )
        }
      </QueryResult>
      {snippet.data && <Received receipt={receipt} />}
      {may('attribution:write') && snippet.data && <Check profileId={profileId} />}
    </>
  );
}

function Received({ receipt }: { readonly receipt: Receipt | undefined }) {
  if (!receipt) return null;
  return (
    <p aria-live="polite" className="flex flex-wrap items-center gap-2">
      <State tone={receipt.kind === 'visit' ? 'good' : receipt.kind === 'bot' ? 'bad' : 'plain'}>
        {t.setUp.receipts[receipt.kind]}
      </State>
      <span className="text-soft">
        {receipt.kind === 'visit' && receipt.lastAt
          ? t.setUp.received(ago(receipt.lastAt))
          : receipt.kind === 'bot'
            ? t.setUp.receivedBot
            : t.setUp.waiting}
      </span>
    </p>
  );
}

/** A visit through the link proves that the tracker works; polls every few seconds until one arrives. */
function Check({ profileId }: { readonly profileId: string }) {
  const queryClient = useQueryClient();
  const latest = useQuery(verificationQuery(profileId));
  const start = useMutation({
    mutationFn: (url: string) => clientFor(profileId).createTrackingVerification({ body: { url } }),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries(verificationQuery(profileId)),
        queryClient.invalidateQueries(profileQuery(profileId)),
      ]),
  });
  const check = latest.data;
  return (
    <div className="grid gap-2">
      <LineForm onSubmit={(form) => start.mutate(String(new FormData(form).get('url')))}>
        <TitledField title={t.setUp.page}>
          <input className="field w-72" name="url" type="url" placeholder="https://shop.example/" required />
        </TitledField>
        <button type="submit" className="button" disabled={start.isPending}>
          {t.setUp.check}
        </button>
      </LineForm>
      <p className="label max-w-prose">{t.setUp.checkAbout}</p>
      <Failed error={start.error} />
      {check && (
        <p aria-live="polite">
          {check.status === 'verified' && check.verified_at ? (
            t.setUp.seen(ago(check.verified_at))
          ) : check.status === 'pending' ? (
            <>
              <a className="text-accent underline" href={check.link} target="_blank" rel="noreferrer">
                {t.setUp.openPage}
              </a>{' '}
              {t.setUp.once(hintOf(check.snippet_present))}
            </>
          ) : (
            t.setUp.noVisit(hintOf(check.snippet_present))
          )}
        </p>
      )}
    </div>
  );
}

/** Explains the result of fetching the page; only public https pages are fetched. */
const hintOf = (isPresent: boolean | null): string =>
  isPresent === null ? t.setUp.hints.notFetched : isPresent ? t.setUp.hints.present : t.setUp.hints.absent;
